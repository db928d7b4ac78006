"""What the pages of one case share: the case itself, its head, and the words of its kind."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.utils.translation import gettext as _

from audit import reads
from cases import access, queries, standing, tags
from cases.errors import NoSuchCase
from cases.models import Case, Hold, Person, Task
from cases.queries import CaseFile
from cases.views.signing import person_of
from cases.words import Words
from processes import queries as process_queries
from processes.acts import reopening
from processes.acts.cases import staff_edges
from processes.acts.openings import case_to_open
from processes.erasing import keeping
from processes.kinds import Kind, kind_of, kinds
from timers import clock

STANDING = Hold.objects.filter(case=OuterRef("pk"), lifted_at=None)


def case_for(person: Person, reference: str) -> Case:
    """The case of this reference, as its kind. Raises NoSuchCase unless the person may see it."""
    case = None
    for kind in kinds().values() if "\0" not in reference else ():
        if reference.startswith(f"{kind.prefix}-"):  # it names its kind, so one query finds it
            rows = queries.readable(kind.model, person).filter(reference=reference)
            case = rows.annotate(is_held=Exists(STANDING)).first()
            break
    if case is None:
        _require_unrestricted(person, reference)
        raise NoSuchCase(
            _("There is no case %(reference)s among those you may see.") % {"reference": reference}
        )
    access.note_seen(person, case)
    return case


def _require_unrestricted(person: Person, reference: str) -> None:
    """Raises PurposeNeeded for a restricted case that this person may open by saying for what."""
    try:
        case = case_to_open(person, reference)
    except NoSuchCase:
        return
    reads.about(case.pk)
    raise access.purpose_needed(case)


def words_of(case: Case, file: CaseFile, kind: Kind) -> Words:
    return Words(
        kind,
        people=file.people,
        tasks=file.tasks,
        titles={one.name: one.title for one in file.requirements},
    )


def head_of(request: HttpRequest, case: Case) -> dict[str, Any]:
    """What stands on top of every page of a case: title, acts, rail and the four answers."""
    person, now, kind = person_of(request), clock.now(), kind_of(case.kind)
    file = queries.case_file(case, person)
    words = words_of(case, file, kind)
    works = access.may(person, "work on case", case)
    works_on = any(one["kind"] == "activity" for one in case.waits) or case.stopped_at is not None
    retries = process_queries.retries_of(case) if works_on else {}
    return {
        "case": case,
        "kind": kind,
        "file": file,
        "words": words,
        "rail": standing.rail(case, main_line=kind.main_line, entries=file.entries, now=now),
        "now": standing.standing(
            case,
            words=words,
            requirements=file.requirements,
            tasks=file.tasks,
            children=file.children,
            person=person,
            now=now,
            retries=retries,
        )
        if case.is_open
        else None,
        "state": tags.head_tag(case, tasks=file.tasks, person=person, may_come=kind.may_come),
        "works": works,
        "retries": retries,
        "clocks": process_queries.clock_views(case, now=now),
        "my_task": my_task(person, file.tasks),
        "asks_documents": case.is_open and any(w["kind"] == "documents" for w in case.waits),
        "moves": staff_edges(case, person) if works else [],
        **reopening_of(case, person, works=works),
        **keeping.of_head(case, person),
        "may_see_incident": access.may(person, "repair case", case),
        "section": "cases",
    }


def reopening_of(case: Case, person: Person, *, works: bool) -> dict[str, Any]:
    """For a closed case: the ways to open it again, or why there is none for this person."""
    if case.is_open or not works:
        return {"reopens": []}
    ways = reopening.ways_to_reopen(case, person)
    return {
        "reopens": ways,
        "stays_closed": "" if ways else reopening.why_closed_for_good(case, person),
    }


def my_task(person: Person, tasks: list[Task]) -> Task | None:
    """The open task this person should do, or could take: their own first."""
    open_tasks = [one for one in tasks if one.is_open]
    held = [one for one in open_tasks if one.holder_id == person.pk]
    free = [
        one for one in open_tasks if one.holder_id is None and access.may(person, "claim task", one)
    ]
    return next(iter([*held, *free]), None)
