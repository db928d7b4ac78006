"""The acts, and the rule of each: who may do it, to which case, task, document or team."""

from __future__ import annotations

from typing import Any

import rules
from django.db.models import Q, QuerySet

from cases.access.foureyes import is_barred, is_own_request
from cases.access.roles import (
    ADMINISTRATOR,
    AUDITOR,
    CASEWORKER,
    EXPORTER,
    OPERATOR,
    RECORDS_MANAGER,
    SEE_ALL,
    SUPERVISOR,
    TEAM_ROLES,
)
from cases.access.scope import can_see, exportable_cases, repairable_cases, selves, stood_in_for
from cases.actors import Actor
from cases.errors import NotAllowed
from cases.models import Case, Client, Document, Person, SavedList, Task, Team


def has_role(role: str) -> Any:
    """A predicate: the person has this role."""
    return rules.predicate(lambda person: role in person.roles, name=f"has_role:{role}")


def team_cases(person: Person, team: Team) -> QuerySet[Case]:
    """The open cases of a team that this person may see, all of them among `visible_cases`: what
    the figures of the team count, and the lists under them show."""
    cases = Case.objects.filter(team=team, closed_at=None)
    if not may(person, "see team", team):
        return cases.none()
    if AUDITOR in person.roles:
        return cases
    return cases.filter(Q(restricted=False) | Q(owner__in=selves(person)))


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


def can_be_taken(task: Task) -> bool:
    """Whether there is anybody who may take a task: of its role and team, kept off by nothing."""
    people = Person.objects.filter(is_active=True, groups__name=task.role).distinct()
    return any(
        is_within_reach(one, task)
        and not is_barred(one, task)
        and not (task.is_review and is_own_request(one, task.case))
        for one in people
    )


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
