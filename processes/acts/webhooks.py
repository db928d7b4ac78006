"""Webhooks: made, changed, paused, resumed, replayed, tested, ended; and their secrets."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from audit import feed as order
from audit.feed import Place
from cases import access
from cases.actors import Actor
from cases.errors import Invalid, Refused
from cases.models import Client
from processes.feed import place_of
from processes.kinds import kinds as all_kinds
from processes.models import Webhook
from processes.webhooks import delivering, outgoing, signing
from timers import clock

MOST = 20  # of one account
BEGINNING, NOW = "beginning", "now"


class WebhookEnded(Refused):
    """The webhook was ended before; make a new one."""


def make_webhook(
    *,
    client: Client,
    url: str,
    actor: Actor,
    title: str = "",
    kinds: Sequence[str] = (),
    types: Sequence[str] = (),
    after: str = NOW,
) -> Webhook:
    """Have events sent to an address, from a cursor on: from now, unless given. Raises Invalid
    naming the field, NotAllowed."""
    access.require_webhooks(actor, client)
    if client.webhooks.exclude(state="ended").count() >= MOST:
        raise Invalid(_("An account has at most %(most)s webhooks.") % {"most": MOST})
    place = place_from(after)
    return Webhook.objects.create(
        client=client,
        title=title.strip()[:120],
        url=_checked(url),
        kinds=_known(kinds),
        types=_types(types),
        salt=secrets.token_hex(16),
        position=place.position,
        number=place.number,
        made_at=clock.now(),
        made_by=actor.code,
    )


def change_webhook(
    *,
    webhook_id: int,
    actor: Actor,
    url: str | None = None,
    title: str | None = None,
    kinds: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
) -> Webhook:
    """Change where events are sent, or which."""
    changes: dict[str, Any] = {}
    if url is not None:
        # What was waited for may be another address's fault.
        changes |= {"url": _checked(url), "next_try_at": None}
    if title is not None:
        changes["title"] = title.strip()[:120]
    if kinds is not None:
        changes["kinds"] = _known(kinds)
    if types is not None:
        changes["types"] = _types(types)
    return _change(webhook_id, actor, **changes)


def pause_webhook(*, webhook_id: int, actor: Actor, why: str = "") -> Webhook:
    """Send nothing until it is resumed; its place stays."""
    now = clock.now()
    said = why.strip()[:400] or _("Paused by hand.")
    return _change(
        webhook_id, actor, only="active", state="paused", why=said, paused_at=now, told_at=now
    )


def resume_webhook(*, webhook_id: int, actor: Actor) -> Webhook:
    """Send again, at once and from where it stood."""
    return _change(webhook_id, actor, state="active", why="", paused_at=None, **_FRESH)


def end_webhook(*, webhook_id: int, actor: Actor) -> Webhook:
    """Send nothing more, for good. Safe to repeat."""
    return _change(webhook_id, actor, state="ended", why="", ended_too=True)


def replay_webhook(
    *, webhook_id: int, actor: Actor, after: str = "", since: datetime | None = None
) -> Webhook:
    """Send again from a cursor or a moment on, in order, under the same ids."""
    if bool(after) == (since is not None):
        raise Invalid(_("Give a cursor or a moment."), {"after": _("Or since.")})
    place = order.place_since(since) if since is not None else place_from(after)
    return _change(webhook_id, actor, position=place.position, number=place.number, **_FRESH)


def test_webhook(*, webhook_id: int, actor: Actor) -> Webhook:
    """Have a test sent within moments; what came of it stands in the log."""
    return _change(webhook_id, actor, test_id=f"test_{secrets.token_hex(12)}")


def rotate_secret(*, webhook_id: int, actor: Actor, overlap_hours: int = 24) -> Webhook:
    """A new secret. For so many hours everything is signed with the one before too."""
    until = clock.now() + timedelta(hours=overlap_hours)
    with transaction.atomic():
        hook = _locked(webhook_id, actor)
        return _change(
            webhook_id,
            actor,
            salt=secrets.token_hex(16),
            salt_before=hook.salt if overlap_hours else "",
            before_until=until if overlap_hours else None,
        )


def secrets_told(*, webhook_id: int, actor: Actor) -> list[str]:
    """The secret, and the one before it while that is still used."""
    hook = get_webhook(webhook_id, actor)
    return [signing.spell(one) for one in delivering.secrets_of(hook)]


def get_webhook(webhook_id: int, actor: Actor) -> Webhook:
    hook = Webhook.objects.select_related("client").get(pk=webhook_id)
    access.require_webhooks(actor, hook.client)
    return hook


def place_from(said: str) -> Place:
    """The place of a cursor, of *now* or of the *beginning*. Raises Invalid, CursorUnknown."""
    if said == BEGINNING:
        return order.BEGINNING
    if said in ("", NOW):
        order.number()
        return order.end()
    try:
        return place_of(said)
    except ValueError as error:
        raise Invalid(
            _("This is no cursor of the feed. Say now, beginning, or a cursor."),
            {"after": _("now, beginning, or a cursor of the feed.")},
        ) from error


# What held back a webhook counts no more; and whoever sends for it now finds it changed.
_FRESH: dict[str, Any] = {
    "tries": 0,
    "failing_since": None,
    "next_try_at": None,
    "claimed_by": "",
    "lease_until": None,
    "last_ms": 0,
}


@transaction.atomic
def _change(
    webhook_id: int, actor: Actor, *, only: str = "", ended_too: bool = False, **changes: Any
) -> Webhook:
    hook = _locked(webhook_id, actor)
    if hook.state == "ended":
        if ended_too:
            return hook
        raise WebhookEnded(_("%(hook)s was ended; make a new webhook.") % {"hook": hook})
    if not only or hook.state == only:
        for name, value in changes.items():
            setattr(hook, name, value)
        hook.save(update_fields=list(changes))
    return hook


def _locked(webhook_id: int, actor: Actor) -> Webhook:
    hook = (
        Webhook.objects.select_for_update(of=("self",)).select_related("client").get(pk=webhook_id)
    )
    access.require_webhooks(actor, hook.client)
    return hook


def _checked(url: str) -> str:
    try:
        outgoing.check_url(url)
    except outgoing.AddressRefused as error:
        raise Invalid(str(error), {"url": str(error)}) from error
    return url


def _known(kinds: Sequence[str]) -> list[str]:
    unknown = sorted(set(kinds) - set(all_kinds()))
    if unknown:
        sentence = _("There is no kind %(names)s.") % {"names": ", ".join(unknown)}
        raise Invalid(sentence, {"kinds": sentence})
    return sorted(set(kinds))


def _types(types: Sequence[str]) -> list[str]:
    for one in types:
        word = one.removesuffix("*")
        if not word or len(word) > 60 or not word.replace(".", "").replace("_", "").isalpha():
            sentence = _("“%(type)s” is no type of event, such as task.completed or task.*.") % {
                "type": one
            }
            raise Invalid(sentence, {"types": sentence})
    return sorted(set(types))
