"""Who may see and do what: the one answer for pages, API, search, export, counts and previews.

Roles are names of groups. Teams own cases; a person sees the cases of their team, those they own
or have a task in, and those that their role lets them review: an underwriter's in every team, a
caseworker's and a supervisor's in their own. Auditors see all and change nothing.
Programs see the cases of the kinds and the team that their account names, and do what it names.
"""

from __future__ import annotations

from typing import Any

import rules
from django.db.models import Exists, OuterRef, Q, QuerySet

from audit.models import Event
from cases.actors import Actor
from cases.errors import NotAllowed
from cases.models import Case, Client, Document, Person, Task

CASEWORKER = "caseworker"
SUPERVISOR = "supervisor"
AUDITOR = "auditor"
OPERATOR = "operator"
ADMINISTRATOR = "administrator"


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
    if person.roles & {AUDITOR, OPERATOR} or person.is_superuser:
        return Case.objects.all()
    mine = Q(owner=person)
    if person.roles & {CASEWORKER, SUPERVISOR} and person.team_id:
        mine |= Q(team=person.team_id, restricted=False)
    tasks = Task.objects.filter(case=OuterRef("pk")).filter(
        Q(holder=person)
        | Q(state="open") & _offered_to(person)
        | Q(closed_by=f"person:{person.pk}")
    )
    return Case.objects.filter(mine | Exists(tasks))


def _cases_of_client(client: Client) -> QuerySet[Case]:
    cases = Case.objects.filter(restricted=False)
    if client.team_id is not None:
        cases = cases.filter(team=client.team_id)
    kinds = {scope.partition(":")[2] for scope in client.scopes}
    return cases if "*" in kinds else cases.filter(kind__in=sorted(kinds))


def _offered_to(person: Person) -> Q:
    """The tasks that a person's roles reach: those of a team's own people in their team alone."""
    of_all = Q(role__in=person.roles - TEAM_ROLES)
    own = Q(case__team=None) | Q(case__team=person.team_id) | Q(case__owner=person)
    return of_all | Q(role__in=person.roles & TEAM_ROLES) & own


def can_see(person: Person | Client, case: Case) -> bool:
    """Whether this case is among `visible_cases` of this person or program."""
    return visible_cases(person).filter(pk=case.pk).exists()


def visible_tasks(person: Person) -> QuerySet[Task]:
    """Open tasks this person holds or could take: offered work, without their own requests."""
    return Task.objects.filter(state="open").filter(
        Q(holder=person)
        | Q(holder=None) & _offered_to(person) & ~Q(is_review=True, case__owner=person)
    )


def is_own_request(person: Person, case: Case) -> bool:
    """Whether the case is this person's own: they opened it, somebody opened it for them, or they
    are its caseworker. Such a person reviews nothing of it, whatever roles they have."""
    if case.owner_id == person.pk:
        return True
    opened = Event.objects.filter(case_id=case.pk, number=1).values_list("actor", "on_behalf")
    return any(f"person:{person.pk}" in codes for codes in opened)


@rules.predicate
def sees_case(person: Person, case: Case) -> bool:
    return can_see(person, case)


def is_within_reach(person: Person, task: Task) -> bool:
    """Whether a task of a team's own role is one of this person's team; other roles reach all."""
    return task.role not in TEAM_ROLES or _is_of(person, task.case)


def _is_of(person: Person, case: Case) -> bool:
    """Whether it is a case of their team or their own, or of no team."""
    return case.team_id in (None, person.team_id) or case.owner_id == person.pk


@rules.predicate
def works_on_case(person: Person, case: Case) -> bool:
    """Caseworkers and supervisors change the cases of their own team, or those they own."""
    return bool(person.roles & TEAM_ROLES) and _is_of(person, case)


@rules.predicate
def holds_task(person: Person, task: Task) -> bool:
    return task.holder_id == person.pk


@rules.predicate
def may_take_task(person: Person, task: Task) -> bool:
    """The role fits, in their team where it is a team's, and nobody forbade it (four eyes)."""
    if task.role not in person.roles or f"person:{person.pk}" in task.unlike:
        return False
    if not is_within_reach(person, task):
        return False
    return not (task.is_review and is_own_request(person, task.case))


@rules.predicate
def decided_task(person: Person, task: Task) -> bool:
    return task.closed_by == f"person:{person.pk}"


@rules.predicate
def supervises_task(person: Person, task: Task) -> bool:
    """A supervisor of the team whose case it is."""
    return SUPERVISOR in person.roles and works_on_case.test(person, task.case)


is_supervisor = has_role(SUPERVISOR)
is_operator = has_role(OPERATOR)

ACTS = rules.RuleSet()
for _act, _who in {
    "see case": sees_case,
    "open case": has_role(CASEWORKER) | is_supervisor,
    "work on case": works_on_case,
    "correct clock": works_on_case & is_supervisor,
    "note case": sees_case & ~has_role(AUDITOR),
    "assign case": works_on_case,
    "claim task": may_take_task,
    "complete task": may_take_task,
    "release task": holds_task | is_supervisor,
    "hand over task": holds_task | is_supervisor,
    "take back decision": decided_task | supervises_task,
    "see document": rules.predicate(lambda person, document: can_see(person, document.case)),
    "judge document": rules.predicate(
        lambda person, document: works_on_case.test(person, document.case)
    ),
    "link message": has_role(CASEWORKER) | is_supervisor | is_operator,
    "change calendar": has_role(ADMINISTRATOR)
    | rules.predicate(lambda person: person.is_superuser, name="is_superuser"),
    "repair case": is_operator | is_supervisor,
    "manage clients": has_role(ADMINISTRATOR)
    | rules.predicate(lambda person: person.is_superuser, name="is_superuser"),
}.items():
    ACTS.add_rule(_act, _who)


# What a program needs one of, for its kind, to do an act of ours. The rest is for people.
CLIENT_ACTS = {
    "see case": ("read",),
    "see document": ("read",),
    "open case": ("open",),
    "work on case": ("facts", "move", "messages", "documents"),
    "note case": ("documents",),
    "judge document": ("judge",),
    "link message": ("operate",),
    "repair case": ("operate",),
}

Thing = Case | Task | Document


def may(person: Person | Client, act: str, thing: Thing | None = None, *, kind: str = "") -> bool:
    """Whether this person, or program, may do this act to this thing, or to a new one of a kind."""
    if isinstance(person, Client):
        return _client_may(person, act, thing, kind)
    return person.is_active and bool(ACTS.test_rule(act, person, thing))


def _client_may(client: Client, act: str, thing: Thing | None, kind: str) -> bool:
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
