"""Which cases and tasks somebody sees, as filters: for lists, counts, search and figures."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from audit import reads
from cases.absence import stands_in_for
from cases.access.roles import (
    AUDITOR,
    EXPORTER,
    OPERATOR,
    SEE_ALL,
    SUPERVISOR,
    TEAM_ROLES,
)
from cases.errors import PurposeNeeded
from cases.models import Case, Client, Document, Opening, Person, Task, Team
from timers import clock


def visible_cases(person: Person | Client, *, at: datetime | None = None) -> QuerySet[Case]:
    """The cases that this person, or program, may see, as a filter for every list, count and
    search; `at` is now. Where few cases are asked for, `visible_pks` is quicker."""
    if not person.is_active:
        return Case.objects.none()
    if isinstance(person, Client):
        return _cases_of_client(person)
    if person.roles & SEE_ALL or person.is_superuser:
        return Case.objects.all()
    return Case.objects.filter(_work_reaches(person, at))


def visible_parts(person: Person) -> list[QuerySet[Case]]:
    """The cases of `visible_cases` in parts, each of which the database finds by an index of its
    own: for reading few of very many. A case may be in several."""
    if not person.is_active or person.roles & SEE_ALL or person.is_superuser:
        return [visible_cases(person)]
    return [Case.objects.filter(one) for one in _reaches(person)]


def _reaches(person: Person, at: datetime | None = None) -> list[Q]:
    """Why somebody who works on cases sees one: it is theirs, their team's, or they have, had, or
    may take a task in it. They see as their own what is of those whom they stand in for."""
    tasks = Task.objects.filter(case=OuterRef("pk"))
    is_open = tasks.filter(state="open")
    reaches = [
        Q(pk__in=_opened_by(person, at)),
        Q(owner__in=selves(person)),
        Q(Exists(tasks.filter(holder__in=selves(person)))),
        Q(Exists(tasks.filter(closed_by=f"person:{person.pk}", state__in=["done", "taken_back"]))),
    ]
    if person.roles & TEAM_ROLES and person.team_ids:
        reaches.append(Q(team__in=person.team_ids, restricted=False))
    if of_all := person.roles - TEAM_ROLES:
        reaches.append(Q(Exists(is_open.filter(role__in=of_all))))
    if of_team := person.roles & TEAM_ROLES:
        own = Q(team=None) | Q(team__in=person.team_ids) | Q(owner=person)
        reaches.append(own & Q(Exists(is_open.filter(role__in=of_team))))
    return reaches


def exportable_cases(person: Person | Client) -> QuerySet[Case]:
    """The cases that this person, or program, may take away in a file: those that they see for
    their work. Auditors take all, exporters all that are not restricted. Who sees cases only to
    repair them takes none away by that."""
    if isinstance(person, Client):
        return visible_cases(person)
    if not person.is_active:
        return Case.objects.none()
    if AUDITOR in person.roles:
        return Case.objects.all()
    reach = _work_reaches(person)
    return Case.objects.filter(reach | Q(restricted=False) if EXPORTER in person.roles else reach)


def _opened_by(person: Person, at: datetime | None = None) -> QuerySet[Any, Any]:
    """The restricted cases that this person has opened for a purpose, while that lasts."""
    open_now = Opening.objects.filter(person=person.pk, until__gt=at or clock.now())
    return open_now.values("case")


def lacks_purpose(person: Person, case: Case) -> bool:
    """Whether this person reads this case only after saying for what: it is restricted, and no
    case of their own work. Those who see all cases are asked like those of its team."""
    if not case.restricted or _opening_of(person, case) is not None:
        return False
    return not Case.objects.filter(_work_reaches(person), pk=case.pk).exists()


def _work_reaches(person: Person, at: datetime | None = None) -> Q:
    reach = Q()
    for one in _reaches(person, at):
        reach |= one
    return reach


def _opening_of(person: Person, case: Case) -> Opening | None:
    open_now = Opening.objects.filter(person=person.pk, case=case.pk, until__gt=clock.now())
    return open_now.order_by("-until").first()


def purpose_needed(case: Case) -> PurposeNeeded:
    said = _("%(case)s is restricted. You can open it if you say for what and why.")
    return PurposeNeeded(said % {"case": case.reference}, reference=case.reference)


def repairable_cases(person: Person) -> QuerySet[Case]:
    """The cases that this person may repair: operators all, supervisors those of their teams and of
    no team."""
    if OPERATOR in person.roles or not person.is_active:
        return visible_cases(person)
    own = Q(team__in=person.team_ids) | Q(team=None)
    own = own & Q(restricted=False) | Q(owner=person)
    return Case.objects.filter(own) if SUPERVISOR in person.roles else Case.objects.none()


def seen_teams(person: Person) -> list[Team]:
    """The teams whose page this person may see: those that they lead; auditors see all."""
    if AUDITOR in person.roles:
        return list(Team.objects.order_by("name"))
    if SUPERVISOR not in person.roles:
        return []
    return list(Team.objects.filter(pk__in=person.team_ids).order_by("name"))


def insight_cases(person: Person, team: Team | None = None) -> QuerySet[Case]:
    """The cases, open and closed, that figures about how a kind works count for this person: those
    of the teams that they lead, without restricted ones of others; for auditors all."""
    cases = Case.objects.all() if team is None else Case.objects.filter(team=team)
    if AUDITOR in person.roles:
        return cases
    if SUPERVISOR not in person.roles:
        return cases.none()
    own = Q(restricted=False) | Q(owner__in=selves(person))
    return cases.filter(own, team__in=person.team_ids)


def selves(person: Person) -> list[int]:
    """The ids of this person and of those whom they stand in for today."""
    return [person.pk, *(one.pk for one in stands_in_for(person))]


def _cases_of_client(client: Client) -> QuerySet[Case]:
    cases = Case.objects.filter(restricted=False)
    if client.team_id is not None:
        cases = cases.filter(team=client.team_id)
    kinds = {scope.partition(":")[2] for scope in client.scopes}
    return cases if "*" in kinds else cases.filter(kind__in=sorted(kinds))


def readable_cases(client: Client, *, kinds: list[str] | None = None) -> QuerySet[Case]:
    """The cases of a program that its scopes let it read; of some kinds only where named."""
    scopes = [scope.partition(":") for scope in client.scopes]
    readable = {kind for act, _colon, kind in scopes if act == "read"}
    cases = visible_cases(client)
    if "*" not in readable:
        cases = cases.filter(kind__in=sorted(readable))
    return cases.filter(kind__in=kinds) if kinds else cases


def _offered_to(person: Person) -> Q:
    """The tasks that a person's roles reach: those of a team's own people in their team alone."""
    of_all = Q(role__in=person.roles - TEAM_ROLES)
    own = Q(case__team=None) | Q(case__team__in=person.team_ids) | Q(case__owner=person)
    return of_all | Q(role__in=person.roles & TEAM_ROLES) & own


def cases_of_team(person: Person) -> QuerySet[Case]:
    """Those of `visible_cases` that this person sees as one who works in their team: what a queue
    of the team is made of."""
    if not person.is_active or not person.team_ids or not person.roles & TEAM_ROLES:
        return Case.objects.none()
    return Case.objects.filter(team__in=person.team_ids, restricted=False)


def note_seen(person: Person, case: Case) -> None:
    """This very row was found among the cases that this very person may see: a page that asks
    once more, of the same objects, need not look again."""
    case.__dict__["_seen_by"] = person
    note_read(person, case)


def note_read(person: Person, thing: Case | Task | Document) -> None:
    """The answer to this person is about this case, or about what belongs to it: for the read log,
    with whom they stand in for. Raises PurposeNeeded where they must say for what they read."""
    case = thing if isinstance(thing, Case) else thing.case
    if case.restricted:
        opening = _opening_of(person, case)
        if opening is not None:
            reads.for_purpose(opening.purpose)
        elif lacks_purpose(person, case):
            reads.about(case.pk)
            raise purpose_needed(case)
    sees_all = bool(person.roles & SEE_ALL) or person.is_superuser
    absent = None if sees_all else stood_in_for(person, thing)
    on_behalf = f"person:{absent.pk}" if absent is not None else ""
    reads.about(case.pk, case.head_number, on_behalf=on_behalf)


def can_see(person: Person | Client, case: Case) -> bool:
    """Whether this case is among `visible_cases` of this person or program."""
    if case.__dict__.get("_seen_by") is person:
        return True
    return visible_cases(person).filter(pk=case.pk).exists()


def visible_tasks(person: Person) -> QuerySet[Task]:
    """Open tasks this person holds or could take: offered work, without their own requests."""
    return Task.objects.filter(state="open").filter(
        Q(holder=person)
        | Q(holder=None) & _offered_to(person) & ~Q(is_review=True, case__owner__in=selves(person))
    )


def offered_parts(person: Person) -> list[QuerySet[Task]]:
    """The tasks of `visible_tasks` that nobody holds, in parts that share none, each of which the
    database finds by an index of its own: for reading few of very many."""
    free = Task.objects.filter(state="open", holder=None)
    free = free.exclude(is_review=True, case__owner__in=selves(person))
    parts = []
    if of_all := person.roles - TEAM_ROLES:
        parts.append(free.filter(role__in=of_all))
    if of_team := person.roles & TEAM_ROLES:
        # From the open cases of a team to their tasks: those of all teams are many.
        open_ones = free.filter(role__in=of_team, case__closed_at=None)
        parts.append(open_ones.filter(case__team__in=person.team_ids))
        parts.append(open_ones.filter(case__team=None))
        others = open_ones.filter(case__owner=person, case__team__isnull=False)
        parts.append(others.exclude(case__team__in=person.team_ids))
    return parts


def stood_in_for(person: Person, thing: Case | Task | Document) -> Person | None:
    """The absent person whose own case, or own task, this is, where `person` is the substitute.

    A task is its holder's; one that nobody holds, and a document, is of the case's caseworker.
    """
    if isinstance(thing, Task) and thing.holder_id is not None:
        whose = thing.holder_id
    else:
        whose = (thing if isinstance(thing, Case) else thing.case).owner_id
    if whose is None or whose == person.pk:
        return None
    return next((one for one in stands_in_for(person) if one.pk == whose), None)
