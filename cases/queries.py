"""What the pages read. Each page takes the same number of queries, however much it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from audit.models import Event
from audit.read import last_events
from audit.record import Recorded
from cases import access, noticeboard
from cases.absence import away_now, stands_in_for
from cases.counting import COUNTED_TO
from cases.models import (
    Case,
    Document,
    Letter,
    Note,
    Notice,
    Person,
    Requirement,
    Task,
    Team,
)
from cases.teamcases import NOBODYS
from cases.words import person_ids
from timers import calendars

PAGE_ROWS = 50
PAGE_EVENTS = 100
RECENT_EVENTS = 40  # looked at for the overview
RECENT_VISITS = 300  # of which the head of a case and its steps tell


def count_of(rows: QuerySet[Any]) -> int:
    """How many rows there are, without counting past COUNTED_TO + 1."""
    return rows.order_by()[: COUNTED_TO + 1].count()


def people_named(
    codes: Iterable[str], known: Mapping[int, Person] | None = None
) -> dict[int, Person]:
    """The people among these actors, by id; those that are known already are not read again."""
    known = known or {}
    ids = person_ids(codes)
    wanted = ids - known.keys()
    found = Person.objects.in_bulk(wanted) if wanted else {}
    return found | {pk: known[pk] for pk in ids & known.keys()}


def asked_of(task: Task) -> dict[str, Any]:
    """What the event that opened a task says, with its date as it stands now."""
    events = Event.objects.filter(
        case_id=task.case_id,
        number__gte=task.opened_number,
        type__in=["task.opened", "due.moved"],
    ).order_by("number")
    asked: dict[str, Any] = {}
    for event in events:
        if event.number == task.opened_number:
            asked = dict(event.data)
        elif event.type == "due.moved" and event.data["command"] == task.command:
            asked |= {"due_at": event.data["due_at"], "holidays": event.data["holidays"]}
    return {**asked, "due_at": task.due_at}


# -- lists of cases


@dataclass(frozen=True, slots=True)
class Choice:
    """How a person narrowed a list of cases. Empty means all."""

    find: str = ""
    kind: str = ""
    step: str = ""
    waiting: str = ""
    due: str = ""  # late, near
    owner: str = ""  # me, nobody, or a person's id
    state: str = "open"  # open, stopped, closed, all
    team: str = ""  # a team's id
    sort: str = ""  # due, case, step, owner, waiting; "-" before it turns it round


def chosen_cases(person: Person, choice: Choice, now: datetime) -> QuerySet[Case]:
    """All cases that a person may see and chose, in no order: to take them away. A list reads its
    pages by cases/caselist.py."""
    return narrowed(access.visible_cases(person), choice, now, person=person)


CASE_SORTS = {
    "due": "waiting_until",
    "case": "title",
    "step": "step",
    "owner": "owner__last_name",
    "waiting": "waiting_since",
}


def narrowed(
    cases: QuerySet[Case], choice: Choice, now: datetime, *, person: Person | None
) -> QuerySet[Case]:
    """Those of these cases that somebody chose, in no order."""
    if choice.find:
        cases = cases.filter(
            Q(reference__istartswith=choice.find) | Q(title__icontains=choice.find)
        )
    if choice.kind:
        cases = cases.filter(kind=choice.kind)
    if choice.step:
        cases = cases.filter(step=choice.step)
    if choice.waiting:
        cases = cases.filter(waiting_on=choice.waiting)
    if choice.due == "late":
        cases = cases.filter(waiting_until__lt=now)
    elif choice.due == "near":
        near = near_until(person.team_id if person else None, now)
        cases = cases.filter(waiting_until__gte=now, waiting_until__lt=near)
    if choice.owner == "me":
        cases = cases.filter(owner=person)
    elif choice.owner == "nobody":
        cases = cases.filter(NOBODYS)
    elif is_number(choice.owner):
        cases = cases.filter(owner=int(choice.owner))
    if is_number(choice.team):
        cases = cases.filter(team=int(choice.team))
    match choice.state:
        case "open":
            cases = cases.filter(closed_at=None)
        case "stopped":
            cases = cases.filter(closed_at=None, stopped_at__isnull=False)
        case "closed":
            cases = cases.filter(closed_at__isnull=False)
    return cases


NEAR_WORKING_DAYS = 5  # what is due within these is near


def near_until(team_id: int | None, now: datetime) -> datetime:
    """The end of the fifth working day from today, by the calendar of the team."""
    calendar = calendars.named(calendars.choose("", team_id=team_id))
    day = calendar.add_working_days(calendar.local(now).date(), NEAR_WORKING_DAYS)
    return calendar.at(day + timedelta(days=1), datetime.min.time())


def cases_seen(person: Person, ids: Iterable[int]) -> dict[int, Case]:
    """Those of these cases that the person may see, by id."""
    found = access.visible_cases(person).filter(pk__in=list(ids))
    return {case.pk: case for case in found}


def is_number(text: str) -> bool:
    """Whether a filter names one of our numbers: anything may be asked for."""
    return text.isascii() and text.isdecimal() and len(text) < 18


def teams_of(person: Person) -> QuerySet[Team]:
    """Teams by which a person may narrow their lists: all for those who see all."""
    teams = Team.objects.order_by("name")
    if person.roles & access.SEE_ALL or person.is_superuser:
        return teams
    return teams.filter(pk__in=person.team_ids)


def may_have_cases(person: Person) -> QuerySet[Person]:
    """Colleagues who can be the caseworker of a case."""
    return colleagues(person).filter(groups__name__in=access.TEAM_ROLES).distinct()


def colleagues(person: Person) -> QuerySet[Person]:
    """People whom a case or a task of this person's team may be given to."""
    people = Person.objects.filter(is_active=True).order_by("last_name", "first_name", "username")
    return people.filter(team=person.team_id) if person.team_id else people


def people_who_may_do(task: Task) -> list[Person]:
    """Active people of the task's role, without those it must not be done by."""
    people = Person.objects.filter(is_active=True, groups__name=task.role).distinct()
    return [
        one
        for one in people.order_by("last_name", "first_name", "username")
        if f"person:{one.pk}" not in task.unlike
    ]


# -- notices


NOTICES = 20  # shown at once; the rest follows as these are dismissed


def notices_for(person: Person) -> list[Notice]:
    """What this person should know and has not read: newest first."""
    return list(noticeboard.unread(person).select_related("case")[:NOTICES])


# -- work of those who are away


@dataclass(frozen=True, slots=True)
class StoodIn:
    """Somebody who is away, and their own work that waits for staff."""

    person: Person
    until_date: Any
    tasks: list[Task]
    cases: list[Case]
    more: int  # further open cases of theirs, which wait for others


STOOD_IN_ROWS = 25  # of each person; the list of cases has them all


def stood_in_work(person: Person) -> list[StoodIn]:
    """The work of each person whom this one stands in for today, apart from their own: tasks in
    hand, and cases that wait for a caseworker or have something to judge."""
    people = stands_in_for(person)
    if not people:
        return []
    away = away_now(people)
    ids = [one.pk for one in people]
    by_due = F("waiting_until").asc(nulls_last=True)
    held = Task.objects.filter(holder__in=ids, state="open").select_related("case", "holder")
    tasks = list(held.order_by(F("due_at").asc(nulls_last=True), "pk"))
    holds = {task.case_id for task in tasks}
    answered = Exists(Document.objects.filter(case=OuterRef("pk"), state="received"))
    owned = Case.objects.filter(owner__in=ids, closed_at=None)
    turn = owned.filter(answered | Q(waiting_on__in=["caseworker", "supervisor"]))
    cases = [one for one in turn.order_by(by_due, "pk")[:500] if one.pk not in holds]
    counts = dict(owned.order_by().values_list("owner").annotate(n=Count("pk")))
    found = []
    for one in people:
        mine = [case for case in cases if case.owner_id == one.pk][:STOOD_IN_ROWS]
        in_hand = [task for task in tasks if task.holder_id == one.pk][:STOOD_IN_ROWS]
        found.append(
            StoodIn(one, away[one.pk].until_date, in_hand, mine, counts.get(one.pk, 0) - len(mine))
        )
    return found


# -- one case


@dataclass(slots=True)
class CaseFile:
    """What stands around a case on each of its pages."""

    requirements: list[Requirement]
    documents: list[Document]
    tasks: list[Task]
    entries: list[Recorded]  # its last entries of steps, in their order
    recent: list[Recorded]  # its last events of any type, in their order
    people: dict[int, Person]
    counts: dict[str, int]
    parent: Case | None
    children: list[Case]


def readable(model: type[Case], person: Person) -> QuerySet[Any]:
    """The cases of a kind that this person may see, each with what the head of its page says."""
    cases: QuerySet[Any] = model._default_manager.select_related("owner", "team")
    seen = cases.filter(pk__in=access.visible_pks(person))
    return seen.annotate(note_count=_count(Note))


def _count(model: type[Any]) -> Any:
    rows = model.objects.filter(case=OuterRef("pk")).order_by().values("case")
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


def case_file(case: Case, person: Person | None = None) -> CaseFile:
    """Read what the head of a case's page and its overview show. Cases of its family are among
    those that this person may see; nobody sees none."""
    tasks = list(case.tasks.select_related("holder").order_by("opened_at", "pk"))
    documents = list(case.documents.order_by("-received_at", "-pk"))
    events = last_events(
        case.pk,
        above=case.head_number - RECENT_EVENTS,
        type="step.entered",
        most=RECENT_VISITS,
    )
    recent = [one for one in events if one.number > case.head_number - RECENT_EVENTS]
    codes = {one.closed_by for one in tasks}
    codes |= {code for one in documents for code in (one.received_from, one.judged_by)}
    codes |= named_in(recent)
    near = Q(parent=case.pk) | Q(pk=case.parent_id) if case.parent_id else Q(parent=case.pk)
    family: list[Case] = []
    if person is not None:
        seen = Case.objects.filter(near, pk__in=access.visible_pks(person))
        family = list(seen.order_by("pk")[: PAGE_ROWS + 1])
    return CaseFile(
        requirements=list(case.requirements.order_by("asked_at", "pk")),
        documents=documents,
        tasks=tasks,
        entries=[one for one in events if one.type == "step.entered"],
        recent=recent,
        people=people_named(codes),
        counts={
            "documents": len(documents),
            "reviews": sum(one.is_review for one in tasks),
            "notes": _counted(case, "note_count", Note),
            "events": case.head_number,
        },
        parent=next((one for one in family if one.pk == case.parent_id), None),
        children=[one for one in family if one.pk != case.parent_id][:PAGE_ROWS],
    )


def same_files(person: Person, document: Document) -> list[Document]:
    """Other documents with the very same bytes, in cases that this person may see."""
    same = Document.objects.filter(digest=document.digest).exclude(pk=document.pk)
    seen = same.filter(case__in=access.visible_cases(person)).select_related("case")
    return list(seen.order_by("-received_at", "-pk")[:10])


def _counted(case: Case, name: str, model: type[Any]) -> int:
    """A count that the case came with, or that is made now."""
    known = case.__dict__.get(name)
    return known if known is not None else model.objects.filter(case=case).count()


def lost_files(person: Person) -> list[Document]:
    """Documents whose bytes were found missing or altered, in cases that this person may see."""
    lost = Document.objects.filter(lost_at__isnull=False, case__in=access.visible_cases(person))
    return list(lost.select_related("case").order_by("lost_at", "pk")[:PAGE_ROWS])


def notes_of(case: Case) -> list[Note]:
    return list(
        case.notes.select_related("author", "strikes__author", "struck_by__author").order_by(
            "-number"
        )[:500]
    )


def letters_of(case: Case) -> list[Letter]:
    return list(case.letters.order_by("-written_at", "-pk")[:500])


def events_upto(case: Case, number: int, most: int) -> list[Event]:
    """Up to `most` events that end with this number, in their order."""
    events = Event.objects.filter(case_id=case.pk, number__lte=number, number__gt=number - most)
    return list(events.order_by("number"))


def events_after(case: Case, number: int) -> list[Event]:
    """What happened since this event, in order; at most a page of it."""
    events = Event.objects.filter(case_id=case.pk, number__gt=number)
    return list(events.order_by("number")[:PAGE_EVENTS])


def named_in(events: Sequence[Event | Recorded]) -> set[str]:
    """The actors that these events name, in their data too."""
    codes = {code for event in events for code in (event.actor, event.on_behalf) if code}
    for event in events:
        for key in ("owner", "to", "person"):
            who = event.data.get(key) if event.type != "letter.written" else None
            if isinstance(who, int):
                codes.add(f"person:{who}")
            elif isinstance(who, str):
                codes.add(who)
    return codes


def tray_of(person: Person, states: Sequence[str] = ("late", "unmatched")) -> QuerySet[Any]:
    """Messages that found no case, or came too late, for those who may link them."""
    from cases.models import Message

    if not access.may(person, "link message"):
        return Message.objects.none()
    return Message.objects.filter(state__in=states).order_by("-received_at", "-pk")
