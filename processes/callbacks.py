"""Signed addresses at which third parties answer. The address is the permission to answer once."""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.urls import reverse

_SALT = "longcase.callback"


def address_of(key: str) -> str:
    """The address for a question's key, "case.visit.command". How long it is open stands in the
    question's event, so it can be shown and does not depend on the address."""
    token = signing.Signer(salt=_SALT).sign(key)
    return f"{settings.LONGCASE_PUBLIC_URL}{reverse('callback', args=[token])}"


def read(token: str) -> tuple[int, int, int]:
    """The question of an address. Raises BadSignature for one that we did not sign."""
    case_id, visit, command = signing.Signer(salt=_SALT).unsign(token).split(".")
    return int(case_id), int(visit), int(command)
