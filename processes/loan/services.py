"""The services outside that a loan needs, each by its setting."""

from __future__ import annotations

from processes.services import Service

identity = Service("the identity register", "LONGCASE_IDENTITY_URL")
credit = Service("the credit bureau", "LONGCASE_CREDIT_URL")
appraiser = Service("the appraiser", "LONGCASE_APPRAISER_URL")
bank = Service("the bank", "LONGCASE_BANK_URL")
