"""Signed addresses of customers' pages. Whoever has one may ask for a code, and sees nothing yet.

One address for each party of a case at a time; it expires, is revoked, or replaced by a newer one.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core import signing
from django.urls import reverse

from cases.models import Case, CustomerPage
from processes.kinds import kind_of
from timers import clock

_SALT = "longcase.customer_page"
TOKEN_BYTES = 16


def signed(page: CustomerPage) -> str:
    """The token of a page as its address carries it."""
    return signing.Signer(salt=_SALT, sep=".").sign(page.token)


def address_of(page: CustomerPage) -> str:
    """The whole address, as a letter has it."""
    return f"{settings.LONGCASE_PUBLIC_URL}{reverse('customer-page', args=[signed(page)])}"


def page_at(token: str) -> CustomerPage | None:
    """The page of an address, open or not; None for one that we never made."""
    try:
        known = signing.Signer(salt=_SALT, sep=".").unsign(token)
    except signing.BadSignature:
        return None
    return CustomerPage.objects.filter(token=known).first()


def standing(page: CustomerPage, *, lock: bool = False) -> CustomerPage | None:
    """The page that this party of the case has now: this one, or a newer one that replaced it; it
    may have expired. None where people revoked it."""
    found = CustomerPage.objects.select_for_update() if lock else CustomerPage.objects
    return found.filter(case_id=page.case_id, party=page.party, revoked_at=None).first()


def make(
    *, case_id: int, party: str, name: str, email: str, phone: str = "", given_with: str
) -> CustomerPage:
    """A new page for a party; the one that it had is open no longer. Call it in a
    transaction that holds the case."""
    CustomerPage.objects.filter(case_id=case_id, party=party, revoked_at=None).update(
        revoked_at=clock.now()
    )
    fresh = _fresh(name=name, email=email, phone=phone, given_with=given_with)
    return CustomerPage.objects.create(case_id=case_id, party=party, **fresh)


def for_letter(case: Case, *, name: str, email: str, key: str) -> CustomerPage | None:
    """The page that a letter to the customer names: the one they have, or with their first letter
    a new one. None where there is none to be had, or it was revoked: people give it then."""
    declared = kind_of(case.kind).page
    if declared is None or not email or not settings.LONGCASE_CUSTOMER_PAGES:
        return None
    known = CustomerPage.objects.filter(case_id=case.pk, party=declared.party)
    last = known.order_by("-given_at", "-pk").first()
    if last is None:  # of two letters at once, the first one's page stands
        last, _new = CustomerPage.objects.get_or_create(
            case_id=case.pk,
            party=declared.party,
            revoked_at=None,
            defaults=_fresh(name=name, email=email, given_with=key),
        )
    is_theirs = last.is_open_at(clock.now()) and last.email == email
    return last if is_theirs else None


def _fresh(*, name: str, email: str, given_with: str, phone: str = "") -> dict[str, Any]:
    now = clock.now()
    return {
        "name": name,
        "email": email,
        "phone": phone,
        "token": secrets.token_urlsafe(TOKEN_BYTES),
        "given_with": given_with,
        "given_at": now,
        "expires_at": now + timedelta(days=settings.LONGCASE_PAGE_DAYS),
    }
