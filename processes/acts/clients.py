"""Accounts of programs, and tokens of programs and people: made, rotated, revoked.

A token is shown once, when it is made; only its digest is kept. A rotated token may overlap with
the one before it, so that an integrator changes over without an interruption.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cases import access
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed, Refused
from cases.models import Client, KeptAnswer, Person, Team, Token
from cases.models.client import CallCount
from processes.kinds import kinds
from processes.webhooks import signing
from timers import clock

SCOPES = {
    "read": gettext_lazy("read cases, tasks, documents and history"),
    "open": gettext_lazy("open cases"),
    "facts": gettext_lazy("change facts"),
    "move": gettext_lazy("take transitions, such as withdraw"),
    "messages": gettext_lazy("send messages to cases"),
    "documents": gettext_lazy("hand in documents"),
    "judge": gettext_lazy("accept and reject documents"),
    "tasks": gettext_lazy("take and complete tasks (people alone)"),
    "behalf": gettext_lazy("say for which person they act (programs alone)"),
    "operate": gettext_lazy("see incidents, try again, link messages of the tray"),
}
PREFIX = "lc_"
SECRET_PREFIX = "lcs_"
KEPT_DAYS = 30  # the answers to calls that changed something
_USED_EVERY = timedelta(hours=1)
_BOUGHT_KEPT = timedelta(days=30)  # tokens of an hour, after their end


class TokenOver(Refused):
    """The token was revoked before, or has ended."""


def make_client(
    *, name: str, title: str, scopes: Sequence[str], actor: Actor, team: Team | None = None
) -> Client:
    """Make an account for a program. Raises Invalid naming the field, NotAllowed."""
    access.require(actor, "manage clients")
    if not name or len(name) > 60 or not name.replace("-", "").replace("_", "").isalnum():
        raise Invalid(
            _("A name is letters, digits and hyphens, at most 60."),
            {"name": _("Letters, digits and hyphens.")},
        )
    if Client.objects.filter(name=name).exists():
        raise Invalid(
            _("There is an account “%(name)s” already.") % {"name": name},
            {"name": _("Taken already.")},
        )
    return Client.objects.create(
        name=name,
        title=title.strip()[:200] or name,
        scopes=checked_scopes(scopes),
        team=team,
        made_at=clock.now(),
        made_by=actor.code,
    )


def change_client(
    *, client: Client, scopes: Sequence[str], is_active: bool, actor: Actor
) -> Client:
    """Change what an account may do, or end it: its next call is refused."""
    access.require(actor, "manage clients")
    client.scopes, client.is_active = checked_scopes(scopes), is_active
    client.save(update_fields=["scopes", "is_active"])
    return client


def checked_scopes(scopes: Sequence[str]) -> list[str]:
    """The scopes, each once, in order. Raises Invalid naming what there is."""
    known = kinds()
    for scope in scopes:
        act, colon, kind = scope.partition(":")
        if act not in SCOPES or not colon or (kind != "*" and kind not in known):
            sentence = _(
                "“%(scope)s” is no scope. One is an act and a kind, such as read:loan or open:*. "
                "Acts: %(acts)s. Kinds: %(kinds)s."
            ) % {"scope": scope, "acts": ", ".join(SCOPES), "kinds": ", ".join(sorted(known))}
            raise Invalid(sentence, {"scopes": sentence})
    return sorted(set(scopes))


def issue_token(
    *,
    actor: Actor,
    client: Client | None = None,
    person: Person | None = None,
    title: str = "",
    scopes: Sequence[str] = (),
    days: int | None = None,
    is_secret: bool = False,
) -> tuple[Token, str]:
    """A new token and its text, which nobody can read again. A person makes only their own.

    A secret is a program's alone: see processes/acts/grants.py.
    """
    _require_holder(actor, client, person)
    if days is not None and not 1 <= days <= 3650:
        raise Invalid(_("A token lasts from 1 day to ten years."), {"days": _("1 to 3650.")})
    text = (SECRET_PREFIX if is_secret else PREFIX) + secrets.token_urlsafe(32)
    now = clock.now()
    token = Token.objects.create(
        client=client,
        person=person,
        title=title.strip()[:120],
        start=text[:8],
        digest=digest_of(text),
        scopes=checked_scopes(scopes) if person is not None else [],
        is_secret=is_secret,
        made_at=now,
        made_by=actor.code,
        ends_at=now + timedelta(days=days) if days is not None else None,
    )
    return token, text


@transaction.atomic
def rotate_token(*, token: Token, actor: Actor, overlap_hours: int = 0) -> tuple[Token, str]:
    """A new token in the place of this one, which still works for so many hours."""
    old = Token.objects.select_for_update(of=("self",)).get(pk=token.pk)
    _require_holder(actor, old.client, old.person)
    now = clock.now()
    if not is_alive(old):
        raise TokenOver(_("%(token)s is over already; make a new one.") % {"token": old})
    days = None
    if old.ends_at is not None:
        days = max(1, (old.ends_at - old.made_at).days)
    new, text = issue_token(
        actor=actor,
        client=old.client,
        person=old.person,
        title=old.title,
        scopes=old.scopes,
        days=days,
        is_secret=old.is_secret,
    )
    end = now + timedelta(hours=overlap_hours)
    if overlap_hours:
        old.ends_at = min(end, old.ends_at) if old.ends_at else end
    else:
        old.revoked_at, old.revoked_by = now, actor.code
    old.save(update_fields=["ends_at", "revoked_at", "revoked_by"])
    return new, text


def revoke_token(*, token: Token, actor: Actor) -> Token:
    """End a token now; its next call is refused. Safe to repeat."""
    owner = token.person is not None and actor.person == token.person
    if not owner:
        access.require(actor, "manage clients")
    if token.revoked_at is None:
        token.revoked_at, token.revoked_by = clock.now(), actor.code
        token.save(update_fields=["revoked_at", "revoked_by"])
    return token


def revoke_tokens(*, person: Person, actor: Actor) -> int:
    """End all tokens of somebody who leaves. They stay ended when that person comes back."""
    alive = Token.objects.filter(person=person, revoked_at=None)
    return alive.update(revoked_at=clock.now(), revoked_by=actor.code)


@transaction.atomic
def change_signing(*, client: Client, actor: Actor, overlap_hours: int = 24) -> str:
    """A new secret with which a program signs its messages; its text. The one before is good for
    so many hours more."""
    access.require(actor, "manage clients")
    row = Client.objects.select_for_update(of=("self",)).get(pk=client.pk)
    row.signing_before = row.signing_salt if overlap_hours else ""
    row.signing_until = clock.now() + timedelta(hours=overlap_hours) if overlap_hours else None
    row.signing_salt = secrets.token_hex(16)
    row.save(update_fields=["signing_salt", "signing_before", "signing_until"])
    return signing.spell(signing_secrets(row)[0])


def signing_secrets(client: Client) -> list[bytes]:
    """The secrets that a program's signed messages may carry; none where it has none."""
    salts = [client.signing_salt]
    if client.signing_until is not None and client.signing_until > clock.now():
        salts.append(client.signing_before)
    return [signing.derived("signed-messages", f"{client.pk}.{salt}") for salt in salts if salt]


def _require_holder(actor: Actor, client: Client | None, person: Person | None) -> None:
    if person is None:
        access.require(actor, "manage clients")
    elif actor.person is not None and actor.person != person:
        raise NotAllowed(_("Only %(person)s makes tokens of %(person)s.") % {"person": person})


def digest_of(text: str) -> str:
    """Tokens are 256 bits of chance: a plain digest cannot be guessed back."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_alive(token: Token) -> bool:
    return token.revoked_at is None and (token.ends_at is None or token.ends_at > clock.now())


def token_of(text: str) -> Token | None:
    """The token of this text, if it and its holder are alive."""
    found = (
        Token.objects.select_related("client__team", "person__team", "bought_with")
        .filter(digest=digest_of(text), is_secret=False)
        .first()
    )
    if found is None or not is_alive(found):
        return None
    if found.bought_with is not None and not is_alive(found.bought_with):
        return None
    holder = found.client or found.person
    if holder is None or not holder.is_active:
        return None
    now = clock.now()
    if found.used_at is None or found.used_at < now - _USED_EVERY:
        Token.objects.filter(pk=found.pk).update(used_at=now)
    return found


def forget_old() -> int:
    """Drop answers older than they are promised, and counts of calls. Run by the timer service."""
    now = clock.now()
    dropped, _rows = KeptAnswer.objects.filter(at__lt=now - timedelta(days=KEPT_DAYS)).delete()
    Token.objects.filter(bought_with__isnull=False, ends_at__lt=now - _BOUGHT_KEPT).delete()
    CallCount.objects.filter(minute__lt=int(now.timestamp() // 60) - 60).delete()
    return dropped
