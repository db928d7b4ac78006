"""The service outside that a claim needs, by its setting."""

from __future__ import annotations

from processes.services import Service

bank = Service("the bank", "LONGCASE_BANK_URL")
