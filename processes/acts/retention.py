"""Changing how long cases are kept. Dates are reckoned when they are asked for, so a change counts
at once for all cases; each is kept with who, when and why."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from cases import access
from cases.accounts import note_change
from cases.actors import Actor
from cases.errors import Invalid
from cases.models import RetentionRule
from processes.kinds import Kind
from processes.retention import CLOSED, MOST_MONTHS, Keeper, Retention, date_facts, endings


@transaction.atomic
def change_retention(
    *, kind: Kind, ending: str, months: int, since: str, basis: str, why: str, actor: Actor
) -> Retention:
    """Keep cases of a kind that ended so for this long. Raises Invalid naming the field,
    NotAllowed."""
    access.require(actor, "change retention")
    wrong: dict[str, str] = {}
    if ending not in endings(kind):
        raise Invalid(_("Cases of this kind do not end so."))
    if not 1 <= months <= MOST_MONTHS:
        wrong["months"] = _("1 to 1,200 months.")
    if since not in [CLOSED, *date_facts(kind)]:
        wrong["since"] = _("Choose the closing, or a fact that is a date.")
    if not basis.strip():
        wrong["basis"] = _("Say which law or policy asks for it.")
    if not why.strip():
        wrong["why"] = _("Needed.")
    if wrong:
        raise Invalid(_("The rule was not changed."), wrong)
    before = Keeper.now().rule(kind, ending)
    RetentionRule.objects.update_or_create(
        kind=kind.name,
        ending=ending,
        defaults={"months": months, "since": since, "basis": basis.strip()},
    )
    after = Retention(months=months, since=since, basis=basis.strip())
    _note("retention.changed", kind, ending, before, after, why=why, actor=actor)
    return after


@transaction.atomic
def restore_retention(*, kind: Kind, ending: str, why: str, actor: Actor) -> Retention:
    """Let the rule that the kind itself declares count again. Raises Invalid, NotAllowed."""
    access.require(actor, "change retention")
    if not why.strip():
        raise Invalid(_("Say why."), {"why": _("Needed.")})
    before = Keeper.now().rule(kind, ending)
    RetentionRule.objects.filter(kind=kind.name, ending=ending).delete()
    after = Keeper.now().rule(kind, ending)
    _note("retention.restored", kind, ending, before, after, why=why, actor=actor)
    return after


def _note(
    what: str,
    kind: Kind,
    ending: str,
    before: Retention,
    after: Retention,
    *,
    why: str,
    actor: Actor,
) -> None:
    pairs: dict[str, list[object]] = {
        "months": [before.all_months, after.all_months],
        "since": [before.since, after.since],
        "basis": [str(before.basis), str(after.basis)],
    }
    changes = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    if changes:
        note_change(what, actor=actor, why=why, kind=kind.name, ending=ending, changes=changes)
