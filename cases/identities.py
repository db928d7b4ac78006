"""Whom an organisation's own sign-in service means: people by the name it has for them.

The first time somebody comes, a verified address finds them; from then on the service's own name
does, whatever becomes of the address. Nobody is made here: an administrator does that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from cases import accounts
from cases.actors import Actor
from cases.errors import NotAllowed
from cases.models import Identity, Person
from timers import clock


class SignInRefused(NotAllowed):
    """The sign-in service sent somebody whom Longcase does not let in."""


def person_of(*, issuer: str, claims: Mapping[str, Any], by_address: bool) -> Person:
    """The active person whom these checked claims mean. Raises SignInRefused, with what helps.

    `claims` are those of an ID token: sub, and email with email_verified for a first time.
    """
    subject = str(claims.get("sub") or "")
    if not subject or len(subject) > 255 or "\0" in subject:
        raise SignInRefused(_("The sign-in service did not say who you are."))
    found = Identity.objects.select_related("person").filter(issuer=issuer, subject=subject).first()
    person = found.person if found is not None else None
    if person is None and by_address:
        person = _first_time(issuer, subject, claims)
    if person is None:
        raise SignInRefused(
            _(
                "You are signed in at your organisation, but Longcase has no account for you. An "
                "administrator can make one with your e-mail address."
            )
        )
    if not person.is_active:
        raise SignInRefused(_("Your account in Longcase is closed. An administrator can open it."))
    return person


def _first_time(issuer: str, subject: str, claims: Mapping[str, Any]) -> Person | None:
    """The one person of this address, whom no other name of the service is linked with yet."""
    address = str(claims.get("email") or "")
    if not address or claims.get("email_verified") is not True or "\0" in address:
        return None
    people = list(Person.objects.filter(email__iexact=address, is_active=True)[:2])
    if len(people) != 1 or people[0].identities.filter(issuer=issuer).exists():
        return None
    try:
        with transaction.atomic():
            Identity.objects.create(
                person=people[0], issuer=issuer, subject=subject, linked_at=clock.now()
            )
            accounts.note_change(
                "identity.linked",
                actor=Actor.of(people[0]),
                person=people[0],
                issuer=issuer,
                subject=subject,
            )
    except IntegrityError:  # the same sign-in in two windows
        found = Identity.objects.select_related("person").get(issuer=issuer, subject=subject)
        return found.person
    return people[0]
