"""Who may see and do what: the one answer for pages, API, search, export, counts and previews.

Roles are names of groups. Teams own cases; a person sees the cases of their team, those they own
or have a task in, and those that their role lets them review: an underwriter's in every team, a
caseworker's and a supervisor's in their own. Auditors see all and change nothing. Records managers
see all, and decide what is kept and what is erased.
Programs see the cases of the kinds and the team that their account names, and do what it names.

While somebody is away, their substitute sees that person's own cases and tasks, and may do to them
what that person may; for four eyes the substitute is both people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import rules
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from audit import reads
from audit.models import Event
from cases.absence import stands_in_for
from cases.actors import Actor
from cases.errors import NotAllowed, PurposeNeeded
from cases.models import Case, Client, Document, Opening, Person, SavedList, Task, Team
from timers import clock

CASEWORKER = "caseworker"
SUPERVISOR = "supervisor"
AUDITOR = "auditor"
OPERATOR = "operator"
ADMINISTRATOR = "administrator"
EXPORTER = "exporter"  # takes cases away for records, statistics or another system
RECORDS_MANAGER = "records manager"


SEE_ALL = frozenset({AUDITOR, OPERATOR, RECORDS_MANAGER})
TEAM_ROLES = frozenset({CASEWORKER, SUPERVISOR})  # of a team's own cases; other roles reach all


def has_role(role: str) -> Any:
    """A predicate: the person has this role."""
    return rules.predicate(lambda person: role in person.roles, name=f"has_role:{role}")


def visible_cases(person: Person | Client) -> QuerySet[Case]:
    """The cases that this person, or program, may see, as a filter for every list, count and
    search."""
    if not person.is_active:
        return Case.objects.none()
    if isinstance(person, Client):
        return _cases_of_client(person)
    if person.roles & SEE_ALL or person.is_superuser:
        return Case.objects.all()
    return Case.objects.filter(_work_reaches(person))


def visible_parts(person: Person) -> list[QuerySet[Case]]:
    """The cases of `visible_cases` in parts, each of which the database finds by an index of its
    own: for reading few of very many. A case may be in several."""
    if not person.is_active or person.roles & SEE_ALL or person.is_superuser:
        return [visible_cases(person)]
    return [Case.objects.filter(one) for one in _reaches(person)]


def _reaches(person: Person) -> list[Q]:
    """Why somebody who works on cases sees one: it is theirs, their team's, or they have, had, or
    may take a task in it. They see as their own what is of those whom they stand in for."""
    tasks = Task.objects.filter(case=OuterRef("pk"))
    is_open = tasks.filter(state="open")
    reaches = [
        Q(pk__in=_opened_by(person)),
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
    reach = Q(restricted=False) if EXPORTER in person.roles else Q(pk__in=[])
    for one in _reaches(person):
        reach |= one
    return Case.objects.filter(reach)


def _opened_by(person: Person) -> QuerySet[Any, Any]:
    """The restricted cases that this person has opened for a purpose, while that lasts."""
    open_now = Opening.objects.filter(person=person.pk, until__gt=clock.now())
    return open_now.values("case")


def lacks_purpose(person: Person, case: Case) -> bool:
    """Whether this person reads this case only after saying for what: it is restricted, and no
    case of their own work. Those who see all cases are asked like those of its team."""
    if not case.restricted or _opening_of(person, case) is not None:
        return False
    return not Case.objects.filter(_work_reaches(person), pk=case.pk).exists()


def _work_reaches(person: Person) -> Q:
    reach = Q()
    for one in _reaches(person):
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


def team_cases(person: Person, team: Team) -> QuerySet[Case]:
    """The open cases of a team that this person may see, all of them among `visible_cases`: what
    the figures of the team count, and the lists under them show."""
    cases = Case.objects.filter(team=team, closed_at=None)
    if not may(person, "see team", team):
        return cases.none()
    if AUDITOR in person.roles:
        return cases
    return cases.filter(Q(restricted=False) | Q(owner__in=selves(person)))


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


def is_own_request(person: Person, case: Case) -> bool:
    """Whether the case is this person's own: they opened it, somebody opened it for them, they are
    or were its caseworker, they changed its facts or judged its papers, or they did that one's work
    as a substitute. Such a person reviews nothing of it, whatever roles they have, also after they
    gave it away. While somebody stands in for another, either counts."""
    both = selves(person)
    if case.owner_id in both:
        return True
    if (known := _foreseen(person, case)) is not None:
        return known.is_own
    codes = [f"person:{one}" for one in both]
    opened = Q(number=1) & (Q(actor__in=codes) | Q(on_behalf__in=codes))
    stood_in = Q(actor__in=codes, on_behalf=f"person:{case.owner_id}")
    worked = Q(type__in=WORKING) & (Q(actor__in=codes) | Q(on_behalf__in=codes))
    told = Event.objects.filter(case_id=case.pk)
    if told.filter(opened | stood_in | worked).exists():
        return True
    given = told.filter(type__in=GIVING).values_list("data", flat=True)
    return any(_caseworkers_in(data) & set(both) for data in given)


# What whoever works on a case does to what a review rests on.
WORKING = ("facts.changed", "document.accepted", "document.rejected")
GIVING = ("case.opened", "case.assigned")  # whose data name a caseworker


def _caseworkers_in(data: Any) -> set[int]:
    """Whom such an event made the caseworker, and who was it before."""
    return {found for name in ("owner", "before") if isinstance(found := data.get(name), int)}


def is_barred(person: Person, task: Task) -> bool:
    """Four eyes: the task must not be done by this person, nor by one they stand in for, nor by
    one for whom a barred person decided before."""
    if not task.unlike:
        return False
    codes = [f"person:{one}" for one in selves(person)]
    if set(codes) & set(task.unlike):
        return True
    if (known := _foreseen(person, task.case)) is not None:
        return bool(known.decided_for & set(task.unlike))
    return Event.objects.filter(
        case_id=task.case_id,
        type="task.completed",
        actor__in=list(task.unlike),
        on_behalf__in=codes,
    ).exists()


@dataclass(frozen=True, slots=True)
class _Foreseen:
    """What four eyes look for in the history of a case, for one person."""

    is_own: bool
    decided_for: frozenset[str]  # who decided on behalf of this person, or of their other self


def foresee(person: Person, cases: Sequence[Case]) -> None:
    """Read in one query what `is_own_request` and `is_barred` ask of these cases for this person:
    for lists, where each would be a query of its own. Acts ask anew, under the lock."""
    codes = {f"person:{one}" for one in selves(person)}
    told = Event.objects.filter(case_id__in=[case.pk for case in cases]).filter(
        Q(number=1)
        | Q(actor__in=codes, on_behalf__startswith="person:")
        | Q(on_behalf__in=codes)
        | Q(actor__in=codes, type__in=WORKING)
        | Q(type__in=GIVING)
    )
    both = set(selves(person))
    own: dict[int, bool] = {}
    decided: dict[int, set[str]] = {}
    owner_of = {case.pk: f"person:{case.owner_id}" for case in cases}
    for case_id, number, kind, actor, on_behalf, data in told.values_list(
        "case_id", "number", "type", "actor", "on_behalf", "data"
    ):
        opened = number == 1 and bool({actor, on_behalf} & codes)
        worked = kind in WORKING and bool({actor, on_behalf} & codes)
        given = kind in GIVING and bool(_caseworkers_in(data) & both)
        if opened or worked or given or (actor in codes and on_behalf == owner_of[case_id]):
            own[case_id] = True
        if kind == "task.completed" and on_behalf in codes:
            decided.setdefault(case_id, set()).add(actor)
    for case in cases:
        case.__dict__.setdefault("_foreseen", {})[person.pk] = _Foreseen(
            own.get(case.pk, False), frozenset(decided.get(case.pk, ()))
        )


def _foreseen(person: Person, case: Case) -> _Foreseen | None:
    return case.__dict__.get("_foreseen", {}).get(person.pk)


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


def acting_for(actor: Actor, thing: Case | Task | Document) -> Actor:
    """The actor as history is to name them: a substitute with the person they stand in for."""
    if actor.person is None or actor.on_behalf:
        return actor
    absent = stood_in_for(actor.person, thing)
    return actor if absent is None else Actor.of(actor.person, on_behalf=f"person:{absent.pk}")


@rules.predicate
def sees_case(person: Person, case: Case) -> bool:
    return can_see(person, case)


def is_within_reach(person: Person, task: Task) -> bool:
    """Whether a task of a team's own role is one of this person's team; other roles reach all."""
    return task.role not in TEAM_ROLES or _is_of(person, task.case)


def _is_of(person: Person, case: Case) -> bool:
    """Whether it is a case of their team or their own, or of no team."""
    return case.team_id is None or case.team_id in person.team_ids or case.owner_id == person.pk


@rules.predicate
def takes_case_away(person: Person, case: Case) -> bool:
    sees_only_to_repair = OPERATOR in person.roles or person.is_superuser
    if case.__dict__.get("_seen_by") is person and not sees_only_to_repair:
        return True
    return exportable_cases(person).filter(pk=case.pk).exists()


@rules.predicate
def opens_restricted(person: Person, case: Case) -> bool:
    """Who may open a restricted case for a purpose: caseworkers and supervisors of its team, and
    those who see all cases."""
    if not case.restricted or not person.is_active:
        return False
    sees_all = bool(person.roles & SEE_ALL) or person.is_superuser
    return sees_all or (bool(person.roles & TEAM_ROLES) and case.team_id in person.team_ids)


@rules.predicate
def works_on_case(person: Person, case: Case) -> bool:
    """Caseworkers and supervisors change the cases of their own team, or those they own."""
    return bool(person.roles & TEAM_ROLES) and _is_of(person, case)


@rules.predicate
def sees_retention(person: Person, case: Case) -> bool:
    """Who looks after what is kept, audits it, or leads those who ask; of the cases they see."""
    return bool(person.roles & {RECORDS_MANAGER, AUDITOR, SUPERVISOR}) and can_see(person, case)


@rules.predicate
def sees_its_case(person: Person, document: Document) -> bool:
    return can_see(person, document.case)


@rules.predicate
def works_on_its_case(person: Person, document: Document) -> bool:
    return bool(works_on_case.test(person, document.case))


@rules.predicate
def holds_task(person: Person, task: Task) -> bool:
    return task.holder_id == person.pk


@rules.predicate
def may_take_task(person: Person, task: Task) -> bool:
    """The role fits, in their team where it is a team's, and nobody forbade it (four eyes)."""
    if task.role not in person.roles or not is_within_reach(person, task):
        return False
    if is_barred(person, task):
        return False
    return not (task.is_review and is_own_request(person, task.case))


@rules.predicate
def decided_task(person: Person, task: Task) -> bool:
    return task.closed_by == f"person:{person.pk}"


@rules.predicate
def supervises_task(person: Person, task: Task) -> bool:
    """A supervisor of the team whose case it is."""
    return SUPERVISOR in person.roles and works_on_case.test(person, task.case)


@rules.predicate
def supervises(person: Person, other: Person) -> bool:
    """A supervisor of the team that the other one belongs to."""
    return SUPERVISOR in person.roles and other.team_id in person.team_ids


@rules.predicate
def is_oneself(person: Person, other: Person) -> bool:
    return person.pk == other.pk


@rules.predicate
def supervises_team(person: Person, team: Team) -> bool:
    return SUPERVISOR in person.roles and team.pk in person.team_ids


@rules.predicate
def is_of_list(person: Person, saved: SavedList) -> bool:
    """Whose list it is; one that a team shares is also of the team's supervisors."""
    if saved.owner_id == person.pk:
        return True
    return SUPERVISOR in person.roles and saved.team_id in person.team_ids


@rules.predicate
def leads_repair(person: Person, case: Case | None) -> bool:
    """A supervisor, of the case's team where it is about a case."""
    if SUPERVISOR not in person.roles:
        return False
    return case is None or repairable_cases(person).filter(pk=case.pk).exists()


is_supervisor = has_role(SUPERVISOR)
is_operator = has_role(OPERATOR)
is_administrator = has_role(ADMINISTRATOR) | rules.predicate(
    lambda person: person.is_superuser, name="is_superuser"
)

is_more_than_operator = rules.predicate(
    lambda person: person.roles != {OPERATOR}, name="is_more_than_operator"
)

ACTS = rules.RuleSet()
for _act, _who in {
    "see case": sees_case,
    # Operators repair; what the code holds of people is not needed for that.
    "see values": sees_case & is_more_than_operator,
    "export case": takes_case_away,
    "export everything": has_role(AUDITOR) | has_role(EXPORTER),
    "see exports": is_administrator | has_role(AUDITOR),
    "open restricted": opens_restricted,
    "open case": has_role(CASEWORKER) | is_supervisor,
    "work on case": works_on_case,
    "correct clock": works_on_case & is_supervisor,
    "note case": sees_case & ~has_role(AUDITOR),
    "be reminded": sees_case & ~has_role(AUDITOR),
    "assign case": works_on_case,
    "reopen case": works_on_case,
    "ask advice": holds_task,
    "claim task": may_take_task,
    "complete task": may_take_task,
    "release task": holds_task | supervises_task,
    "hand over task": holds_task | supervises_task,
    "take back decision": decided_task | supervises_task,
    "see document": sees_its_case,
    "judge document": works_on_its_case,
    "link message": has_role(CASEWORKER) | is_supervisor | is_operator,
    "change calendar": is_administrator,
    "change letters": is_administrator,
    "post letters": has_role(CASEWORKER) | is_supervisor,
    "repair case": is_operator | leads_repair,
    "look after code": is_operator,
    "try changes": is_supervisor | has_role(AUDITOR),
    "watch the installation": is_operator,
    "check histories": has_role(AUDITOR) | is_operator | is_administrator,
    "manage clients": is_administrator,
    "see jobs": is_administrator | is_operator,
    "manage people": is_administrator,
    "read the log": has_role(AUDITOR) | has_role(RECORDS_MANAGER),
    "read changes of accounts": is_administrator | has_role(AUDITOR) | is_supervisor,
    "enter absence": (is_oneself & ~has_role(AUDITOR)) | supervises | is_administrator,
    "change list": is_of_list,
    "see retention": sees_retention,
    "see destructions": has_role(RECORDS_MANAGER) | has_role(AUDITOR),
    "hold case": has_role(RECORDS_MANAGER),
    "destroy cases": has_role(RECORDS_MANAGER),
    "change retention": is_administrator,
    "let person go": supervises | is_administrator,
    "see team": supervises_team | has_role(AUDITOR),
    "lead team": supervises_team,
}.items():
    ACTS.add_rule(_act, _who)


# What a program needs one of, for its kind, to do an act of ours. The rest is for people.
CLIENT_ACTS = {
    "see case": ("read",),
    "see values": ("read",),
    "see document": ("read",),
    "export case": ("read",),
    "open case": ("open",),
    "work on case": ("facts", "move", "messages", "documents"),
    "note case": ("documents",),
    "judge document": ("judge",),
    "link message": ("operate",),
    "repair case": ("operate",),
}

Thing = Case | Task | Document | Person | Team | SavedList
_OF_EYES = frozenset({"claim task", "complete task"})  # a substitute is both people here


def may(person: Person | Client, act: str, thing: Thing | None = None, *, kind: str = "") -> bool:
    """Whether this person, or program, may do this act to this thing, or to a new one of a kind."""
    if isinstance(person, Client):
        return _client_may(person, act, thing, kind)
    if not person.is_active:
        return False
    if ACTS.test_rule(act, person, thing):
        return True
    if not isinstance(thing, (Case, Task, Document)) or AUDITOR in person.roles:
        return False
    absent = stood_in_for(person, thing)
    if absent is None or not ACTS.test_rule(act, absent, thing):
        return False
    return not (act in _OF_EYES and isinstance(thing, Task) and _sees_with_one_eye(person, thing))


def _sees_with_one_eye(person: Person, task: Task) -> bool:
    """Whether four eyes would be two."""
    return is_barred(person, task) or (task.is_review and is_own_request(person, task.case))


def _client_may(client: Client, act: str, thing: Thing | None, kind: str) -> bool:
    if isinstance(thing, (Person, Team, SavedList)):
        return False
    case = thing if isinstance(thing, Case) or thing is None else thing.case
    if case is not None:
        kind = case.kind
        if case.restricted or client.team_id not in (None, case.team_id):
            return False
    return client.is_active and any(
        client.has_scope(scope, kind) for scope in CLIENT_ACTS.get(act, ())
    )


def require(actor: Actor, act: str, thing: Thing | None = None, *, kind: str = "") -> None:
    """Raise NotAllowed unless the actor may do it. Engine, parties and services without an account
    come authorised by the face that let them in: a signed address, or the process itself."""
    who: Person | Client | None = actor.person or actor.client
    if who is None or may(who, act, thing, kind=kind):
        return
    about = f" {thing}" if thing is not None else ""
    whom = "an administrator" if actor.client else "a supervisor"
    raise NotAllowed(f"{who} may not {act}{about}; {whom} can change that.")


def is_another(person: Person, first: Person) -> bool:
    """Four eyes of two people: not the same, nor one who stands in for the other today."""
    return not set(selves(person)) & set(selves(first))


def require_webhooks(actor: Actor, client: Client) -> None:
    """Raise NotAllowed unless the actor may have this program's events sent somewhere, or see where
    they are sent: the program itself, which may read them anyhow, and who manages programs."""
    if actor.client is not None and actor.client.pk == client.pk:
        return
    require(actor, "manage clients")
