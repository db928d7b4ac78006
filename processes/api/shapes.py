"""What answers look like, for the schema. The functions beside them make exactly this."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from audit.models import Event
from audit.record import Recorded
from cases.models import Case, Document, Message, Person, Relation, Requirement, Task, Team
from cases.words import Words
from processes.api.problems import word_of
from processes.kinds import kind_of
from processes.models import Incident
from processes.plain import event, plain


@extend_schema_field({"type": "object", "additionalProperties": True})
class Anything(s.DictField):
    """An object whose names depend on the kind of the case."""


@extend_schema_field({})
class AnyValue(s.Field):
    """Any JSON value."""


class Who(s.Serializer):
    code = s.CharField(help_text="person:7, party:applicant, service:portal, engine")
    name = s.CharField()


class PersonShape(s.Serializer):
    id = s.IntegerField()
    name = s.CharField()


class TeamShape(s.Serializer):
    id = s.IntegerField()
    name = s.CharField()


class StepShape(s.Serializer):
    name = s.CharField()
    label = s.CharField()
    entered_at = s.DateTimeField(allow_null=True)
    visit = s.IntegerField(help_text="How often the case entered a step, counted over the case.")


class ExternalShape(s.Serializer):
    source = s.CharField()
    reference = s.CharField()


class CaseRow(s.Serializer):
    """A case in a list."""

    id = s.IntegerField()
    reference = s.CharField()
    kind = s.CharField()
    title = s.CharField()
    state = s.ChoiceField(["open", "stopped", "closed"])
    step = StepShape()
    outcome = s.CharField()
    outcome_reason = s.CharField()
    owner = PersonShape(allow_null=True)
    team = TeamShape(allow_null=True)
    external = ExternalShape(allow_null=True)
    waiting_on = s.CharField(help_text="On whom the first of its waits is; empty when closed.")
    waiting_since = s.DateTimeField(allow_null=True)
    waiting_until = s.DateTimeField(allow_null=True)
    opened_at = s.DateTimeField()
    closed_at = s.DateTimeField(allow_null=True)
    version = s.IntegerField(help_text="The number of its last event, as in its ETag.")


class WaitShape(s.Serializer):
    kind = s.CharField(help_text="task, documents, message, party, subcase, timer, activity, …")
    name = s.CharField()
    on = s.CharField()
    since = s.DateTimeField(allow_null=True)
    until = s.DateTimeField(allow_null=True)
    met = s.CharField(help_text="What happens when it comes.")
    otherwise = s.CharField(help_text="What happens if it does not.")
    missing = s.ListField(child=s.CharField(), help_text="Documents that are not in yet.")


class TaskShape(s.Serializer):
    id = s.IntegerField()
    case = s.CharField()
    name = s.CharField()
    title = s.CharField()
    is_review = s.BooleanField()
    role = s.CharField()
    state = s.ChoiceField(["open", "done", "cancelled", "taken_back"])
    holder = PersonShape(allow_null=True)
    opened_at = s.DateTimeField()
    due_at = s.DateTimeField(allow_null=True)
    claimed_at = s.DateTimeField(allow_null=True)
    closed_at = s.DateTimeField(allow_null=True)
    closed_by = s.CharField()
    outcomes = AnyValue(help_text="[{value, label, needs_reason}], of which one completes it.")
    asks = AnyValue(help_text="[{name, label, type}]: what `result` may hold.")
    outcome = s.CharField()
    reason = s.CharField()
    result = Anything()


class DocumentShape(s.Serializer):
    id = s.IntegerField()
    case = s.CharField()
    name = s.CharField()
    version = s.IntegerField()
    filename = s.CharField()
    media_type = s.CharField()
    size = s.IntegerField(help_text="bytes")
    sha256 = s.CharField()
    state = s.ChoiceField(["received", "accepted", "rejected"])
    reason = s.CharField()
    received_at = s.DateTimeField()
    received_from = s.CharField()
    judged_at = s.DateTimeField(allow_null=True)
    judged_by = s.CharField()
    remarks = s.ListField(child=s.CharField(), help_text="Noticed of its content: damaged, locked…")
    pages = s.IntegerField(allow_null=True, help_text="Of a PDF that could be read.")
    dated = s.DateField(allow_null=True, help_text="The day that is written on it.")
    valid_until = s.DateField(allow_null=True, help_text="The last day on which it counts.")
    is_lost = s.BooleanField(help_text="Its bytes were found missing or altered.")


class RequirementShape(s.Serializer):
    name = s.CharField()
    title = s.CharField()
    asked_of = s.CharField()
    asked_at = s.DateTimeField()
    state = s.ChoiceField(["asked", "received", "accepted", "rejected"])
    reason = s.CharField()
    is_open = s.BooleanField()


class ClockShape(s.Serializer):
    """A business clock, with the sentence that says why its limit lies where it does."""

    name = s.CharField()
    title = s.CharField()
    state = s.CharField()
    started = s.CharField(allow_null=True)
    limit_on = s.CharField(allow_null=True)
    limit_at = s.DateTimeField(allow_null=True)
    target_at = s.DateTimeField(allow_null=True)
    limit_has_passed = s.BooleanField()
    kept = s.BooleanField(allow_null=True)
    extended = s.IntegerField()
    pauses = s.ListField(child=Anything())
    ours = s.CharField()
    theirs = s.CharField()
    explanation = s.CharField()


class EventShape(s.Serializer):
    number = s.IntegerField()
    type = s.CharField()
    data = Anything()
    actor = Who()
    on_behalf = Who(allow_null=True)
    happened_at = s.DateTimeField()
    recorded_at = s.DateTimeField()
    hash = s.CharField()
    erased_on = s.DateField(
        allow_null=True,
        help_text="The day on which what is personal in `data` was erased: texts read “[erased]”, "
        "other personal values are null.",
    )


class TransitionShape(s.Serializer):
    name = s.CharField()
    label = s.CharField()
    target = s.CharField()
    asks = s.ListField(child=s.CharField(), help_text="Names that `data` must hold.")
    role = s.CharField(help_text="Only people with this role; empty for all who work on the case.")
    confirm = s.CharField()
    reopens = s.BooleanField(help_text="Opens a closed case again; then `asks` is its reason.")
    address = s.CharField(help_text="Where to post it.")


class UndoShape(s.Serializer):
    """What the caller has just done and may undo."""

    number = s.IntegerField(help_text="Of the event.")
    type = s.CharField()
    address = s.CharField(help_text="Where to post it.")


class RelationShape(s.Serializer):
    """A case that staff related to another one, and why."""

    case = CaseRow()
    reason = s.CharField()
    related_at = s.DateTimeField()
    related_by = s.CharField(help_text="The code of who did it.")


class RestShape(s.Serializer):
    """Of a part that is told in part: how many there are, and where they all are."""

    total = s.IntegerField()
    rest = s.CharField(
        allow_null=True, help_text="Address of what is not told here; null when all is."
    )


class MoreShape(s.Serializer):
    events = RestShape(required=False)
    children = RestShape(required=False)
    related = RestShape(required=False)


class RetentionShape(s.Serializer):
    """Until when a case is kept."""

    kept_until = s.DateField(
        allow_null=True, help_text="From this day on it may be destroyed; null: it has no day yet."
    )
    explanation = s.CharField(help_text="The same in a sentence, with what it rests on.")
    is_held = s.BooleanField(
        help_text="A legal hold stands: it is not destroyed, whatever the day."
    )


class CaseShape(CaseRow):
    """A case. What is named by `include` is there, the rest is not."""

    facts = Anything(required=False, help_text="Left out where the token lacks the scope `read`.")
    erased_at = s.DateTimeField(
        allow_null=True, help_text="Since then its people can no longer be read of."
    )
    certificate = s.CharField(allow_null=True, help_text="Under which it was erased.")
    waits = WaitShape(many=True)
    tasks = TaskShape(many=True, required=False)
    requirements = RequirementShape(many=True, required=False)
    documents = DocumentShape(many=True, required=False)
    clocks = ClockShape(many=True, required=False)
    events = EventShape(many=True, required=False, help_text="The last 20, in their order.")
    transitions = TransitionShape(
        many=True, required=False, help_text="What this caller may take by hand now."
    )
    undo = UndoShape(
        required=False, allow_null=True, help_text="What this caller has just done and may undo."
    )
    parent = CaseRow(required=False, allow_null=True)
    children = CaseRow(many=True, required=False, help_text="At most 200, of those you may see.")
    related = RelationShape(
        many=True, required=False, help_text="At most 200, of those you may see; the newest first."
    )
    more = MoreShape(
        required=False, help_text="With events, children or related: how many there are in all."
    )
    retention = RetentionShape(
        required=False, allow_null=True, help_text="For those who may see it: null else."
    )


class MessageShape(s.Serializer):
    id = s.IntegerField()
    source = s.CharField()
    key = s.CharField()
    name = s.CharField()
    to = s.CharField()
    state = s.CharField(help_text="new, kept, used, late, unmatched")
    why = s.CharField()
    data = Anything()
    received_at = s.DateTimeField()


class IncidentShape(s.Serializer):
    id = s.IntegerField()
    case = s.CharField()
    kind = s.CharField()
    title = s.CharField()
    expected = s.CharField()
    came = s.CharField()
    place = s.CharField()
    remedy = s.CharField()
    opened_at = s.DateTimeField()
    closed_at = s.DateTimeField(allow_null=True)
    next_try_at = s.DateTimeField(allow_null=True)
    tries = s.IntegerField()


class ProblemError(s.Serializer):
    pointer = s.CharField(
        help_text="A JSON pointer into the body, ?NAME of the address, or header:NAME."
    )
    detail = s.CharField()


class ProblemShape(s.Serializer):
    """Problem details (RFC 9457)."""

    type = s.CharField()
    title = s.CharField()
    status = s.IntegerField()
    detail = s.CharField()
    errors = ProblemError(many=True, required=False)
    case = Anything(required=False, help_text="The state that the case is in (409, 412).")
    news = s.ListField(child=Anything(), required=False, help_text="What changed (412).")


# -- rows as data


def person(one: Person | None) -> dict[str, Any] | None:
    return None if one is None else {"id": one.pk, "name": str(one)}


def team(one: Team | None) -> dict[str, Any] | None:
    return None if one is None else {"id": one.pk, "name": one.name}


def case_row(case: Case) -> dict[str, Any]:
    """A case in a list; its owner and team are loaded with it."""
    external = None
    if case.source_key:
        external = {"source": case.source, "reference": case.source_key}
    return {
        "id": case.pk,
        "reference": case.reference,
        "kind": case.kind,
        "title": case.title,
        "state": word_of(case),
        "step": {
            "name": str(case.step),
            "label": kind_of(case.kind).step_label(case.step),
            "entered_at": plain(case.entered_at),
            "visit": case.visit,
        },
        "outcome": case.outcome,
        "outcome_reason": case.outcome_reason,
        "owner": person(case.owner),
        "team": team(case.team),
        "external": external,
        "waiting_on": case.waiting_on,
        "waiting_since": plain(case.waiting_since),
        "waiting_until": plain(case.waiting_until),
        "opened_at": plain(case.opened_at),
        "closed_at": plain(case.closed_at),
        "version": case.head_number,
    }


def relation(one: Relation) -> dict[str, Any]:
    """A related case; it is loaded with its owner and team."""
    return {
        "case": case_row(one.other),
        "reason": one.reason,
        "related_at": plain(one.related_at),
        "related_by": one.related_by,
    }


def facts(case: Case) -> dict[str, Any]:
    return {one.attname: plain(getattr(case, one.attname)) for one in type(case).fact_fields()}


def wait(one: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": one["kind"],
        "name": str(one.get("name", "")),
        "on": str(one.get("on", "")),
        "since": plain(one.get("since")),
        "until": plain(one.get("until")),
        "met": str(one.get("met", "")),
        "otherwise": str(one.get("otherwise", "")),
        "missing": plain(one.get("missing", [])),
    }


def task(one: Task, reference: str) -> dict[str, Any]:
    return {
        "id": one.pk,
        "case": reference,
        "name": one.name,
        "title": one.title,
        "is_review": one.is_review,
        "role": one.role,
        "state": one.state,
        "holder": person(one.holder),
        "opened_at": plain(one.opened_at),
        "due_at": plain(one.due_at),
        "claimed_at": plain(one.claimed_at),
        "closed_at": plain(one.closed_at),
        "closed_by": one.closed_by,
        "outcomes": [
            {"value": value, "label": label, "needs_reason": needs}
            for value, label, needs in one.outcomes
        ],
        "asks": [{"name": name, "label": label, "type": sort} for name, label, sort in one.asks],
        "outcome": one.outcome,
        "reason": one.reason,
        "result": plain(one.result or {}),
    }


def document(one: Document, reference: str) -> dict[str, Any]:
    return {
        "id": one.pk,
        "case": reference,
        "name": one.name,
        "version": one.version,
        "filename": one.filename,
        "media_type": one.media_type,
        "size": one.size,
        "sha256": one.digest,
        "state": one.state,
        "reason": one.reason,
        "received_at": plain(one.received_at),
        "received_from": one.received_from,
        "judged_at": plain(one.judged_at),
        "judged_by": one.judged_by,
        "remarks": list(one.remarks),
        "pages": one.pages,
        "dated": plain(one.dated_date),
        "valid_until": plain(one.valid_until_date),
        "is_lost": one.lost_at is not None,
    }


def requirement(one: Requirement) -> dict[str, Any]:
    return {
        "name": one.name,
        "title": one.title,
        "asked_of": one.asked_of,
        "asked_at": plain(one.asked_at),
        "state": one.state,
        "reason": one.reason,
        "is_open": one.is_open,
    }


def events(found: Iterable[Event | Recorded], words: Words) -> list[dict[str, Any]]:
    """Events with the names of who acted; `words` knows the people."""
    return [event(one, words) for one in found]


def message(one: Message) -> dict[str, Any]:
    return {
        "id": one.pk,
        "source": one.source,
        "key": one.key,
        "name": one.name,
        "to": one.to,
        "state": one.state,
        "why": one.why,
        "data": plain(one.data) if isinstance(one.data, dict) else {"value": plain(one.data)},
        "received_at": plain(one.received_at),
    }


def incident(one: Incident) -> dict[str, Any]:
    return {
        "id": one.pk,
        "case": one.case.reference,
        "kind": one.kind,
        "title": one.title,
        "expected": one.expected,
        "came": one.came,
        "place": one.place,
        "remedy": one.remedy,
        "opened_at": plain(one.opened_at),
        "closed_at": plain(one.closed_at),
        "next_try_at": plain(one.next_try_at),
        "tries": one.tries,
    }
