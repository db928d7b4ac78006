"""Opening a case: its first event, its first step."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import CharField, DecimalField
from django.utils.timezone import localtime

from cases import amounts
from cases.directions import without_turns
from cases.errors import Invalid
from cases.fsm import Move
from processes.engine import rows
from processes.engine.run import Run
from processes.engine.turn import Turn
from processes.kinds import Kind


def as_stored(field: Any, value: Any) -> Any:
    """A fact in the spelling that its column gives back: 20000 euro are 20000.00."""
    if isinstance(field, DecimalField) and isinstance(value, Decimal):
        return value.quantize(Decimal(1).scaleb(-field.decimal_places))
    return value


def cleaned(field: Any, value: Any) -> Any:
    """A fact as its field takes it, in the spelling of its column. Raises ValidationError."""
    if isinstance(field, DecimalField) and value not in field.empty_values:
        try:
            value = amounts.read(value, places=field.decimal_places)
        except amounts.Unreadable as error:
            raise ValidationError(str(error)) from error
    if isinstance(field, CharField) and isinstance(value, str):  # one line, such as a name
        value = without_turns(value)
    return as_stored(field, field.clean(value, None))


def check_facts(kind: Kind, facts: dict[str, Any]) -> dict[str, Any]:
    """Facts by column name, as the kind's fields take them. Raises Invalid naming each field."""
    fields = {f.name: f for f in kind.model.fact_fields()}
    by_column = {f.attname: f for f in fields.values()}
    wrong: dict[str, str] = {}
    clean: dict[str, Any] = {}
    for name, value in facts.items():
        field = fields.get(name) or by_column.get(name)
        if field is None:
            wrong[name] = f"A {kind.title} has no fact of this name."
            continue
        try:
            clean[field.attname] = cleaned(field, value)
        except ValidationError as error:
            wrong[name] = " ".join(error.messages)
    for field in fields.values():
        if field.attname not in clean and field.name not in wrong:
            if field.has_default() or field.null or field.blank:
                clean[field.attname] = field.get_default()
            else:
                wrong[field.name] = "This fact is needed to open the case."
    wrong = wrong or kind.check_facts(clean)
    if wrong:
        named = "; ".join(f"{name}: {sentence}" for name, sentence in wrong.items())
        raise Invalid(f"The {kind.title} was not opened. {named}", wrong)
    return clean


def belongs_to(turn: Turn, kind: Kind, reference: str) -> int:
    """The id of the case to which a new one belongs. Raises Invalid when there is none."""
    turn.cursor.execute("SELECT id FROM cases_case WHERE reference = %s", [reference])
    found = turn.cursor.fetchone()
    if found is None:
        sentence = f"There is no case {reference!r:.60}. Leave it empty, or give a reference."
        raise Invalid(
            f"The {kind.title} was not opened. {kind.parent_fact}: {sentence}",
            {kind.parent_fact: sentence},
        )
    return found[0]


def begin(
    turn: Turn,
    kind: Kind,
    *,
    facts: dict[str, Any],
    title: str,
    actor: str,
    on_behalf: str = "",
    owner_id: int | None = None,
    team_id: int | None = None,
    source: str = "",
    source_key: str = "",
    restricted: bool = False,
    parent: tuple[int, int | None, int | None] | None = None,
    case_id: int | None = None,
    job: int | None = None,
    alike: Sequence[str] = (),
) -> Run:
    """Open a case within a turn and let it go on until it waits. Raises Invalid."""
    facts = check_facts(kind, facts)
    if parent is None and kind.parent_fact and facts[kind.parent_fact]:
        parent = (belongs_to(turn, kind, facts[kind.parent_fact]), None, None)
    if case_id is None:
        case_id = rows.case_ids(turn.cursor, 1)[0]
    year = localtime(turn.now).year
    row: dict[str, Any] = {
        "id": case_id,
        "reference": f"{kind.prefix}-{year}-{case_id:06d}",
        "kind": kind.name,
        "title": without_turns(title)[:200] or str(kind.title),
        "step": kind.initial,
        "visit": 0,
        "step_version": 1,
        "code_digest": "",
        "entered_number": 0,
        "entered_at": turn.now,
        "head_number": 0,
        "head_hash": bytes(32),
        "owner_id": owner_id,
        "team_id": team_id,
        "restricted": restricted,
        "waits": "[]",
        "waiting_on": "",
        "waiting_since": None,
        "waiting_until": None,
        "opened_at": turn.now,
        "closed_at": None,
        "stopped_at": None,
        "outcome": "",
        "outcome_reason": "",
        "erased_at": None,
        "parent_id": parent[0] if parent else None,
        "parent_visit": parent[1] if parent else None,
        "parent_command": parent[2] if parent else None,
        "source": source,
        "source_key": source_key,
    }
    run = turn.open(kind, row, facts)
    run.cause = on_behalf or (actor if actor != "engine" else "")
    opened: dict[str, Any] = {
        "kind": kind.name,
        "reference": row["reference"],
        "title": row["title"],
        "facts": facts,
    }
    if owner_id is not None:
        opened["owner"] = owner_id
    if team_id is not None:
        opened["team"] = team_id
    if source_key:
        opened["source"], opened["key"] = source, source_key
    if job is not None:
        opened["job"] = job
    if restricted:
        opened["restricted"] = True
    if alike:
        opened["alike"] = list(alike)  # references of cases that it was opened in spite of
    if parent:
        opened["parent"] = parent[0]
    turn.record(run, "case.opened", opened, actor=actor, on_behalf=on_behalf)
    turn.begin_step(run, Move("open"), actor=actor, on_behalf=on_behalf)
    return run
