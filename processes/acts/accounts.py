"""Acts of administrators on people and teams. Each is recorded: who changed what, when, why.

Nobody changes their own roles or teams: it takes a second administrator to let one see cases, and
the record of it stands where administrators, auditors and the team's supervisors read it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.contrib.auth.models import Group
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from cases import access
from cases.accounts import note_change
from cases.actors import Actor
from cases.directions import without_turns
from cases.errors import Invalid, NotAllowed
from cases.models import Person, Team
from processes.acts import clients
from processes.acts.people import release_unfit

KNOWN_ROLES = (
    access.CASEWORKER,
    access.SUPERVISOR,
    access.AUDITOR,
    access.OPERATOR,
    access.ADMINISTRATOR,
    access.EXPORTER,
    access.RECORDS_MANAGER,
)
MOST_CAPACITY = 1000


def all_roles() -> list[str]:
    """The roles that can be given: those of Longcase, and those that kinds name."""
    named = set(Group.objects.values_list("name", flat=True))
    return [*KNOWN_ROLES, *sorted(named - set(KNOWN_ROLES))]


@transaction.atomic
def make_person(
    *,
    username: str,
    first_name: str,
    last_name: str,
    actor: Actor,
    email: str = "",
    team: Team | None = None,
    roles: Collection[str] = (),
    capacity: int | None = None,
    leads: Sequence[Team] = (),
) -> Person:
    """A new account without a password: its first sign-in is by a one-time link. Raises Invalid
    naming the field, NotAllowed."""
    access.require(actor, "manage people")
    username = username.strip()
    if (
        not username
        or len(username) > 60
        or not username.replace("-", "").replace(".", "").isalnum()
    ):
        raise Invalid(
            _("A login is letters, digits, points and hyphens, at most 60."),
            {"username": _("Letters, digits, points and hyphens.")},
        )
    if Person.objects.filter(username__iexact=username).exists():
        raise Invalid(
            _("There is somebody with the login “%(login)s” already.") % {"login": username},
            {"username": _("Taken already.")},
        )
    person = Person(username=username)
    person.set_unusable_password()
    person.save()
    note_change("person.made", actor=actor, person=person, username=username)
    return _change(
        person=person,
        first_name=first_name,
        last_name=last_name,
        email=email,
        team=team,
        roles=roles,
        capacity=capacity,
        leads=leads,
        actor=actor,
    )


def change_person(*, person: Person, actor: Actor, **given: Any) -> Person:
    """Change an account; what differs is recorded, before and after. Tasks that they hold and may
    no longer do return to their queues: after that commit, since a case is locked before a person.
    Raises Invalid, NotAllowed."""
    changed = _change(person=person, actor=actor, **given)
    release_unfit(person=changed, actor=actor)
    return changed


@transaction.atomic
def _change(
    *,
    person: Person,
    first_name: str,
    last_name: str,
    actor: Actor,
    email: str = "",
    team: Team | None = None,
    roles: Collection[str] = (),
    capacity: int | None = None,
    leads: Sequence[Team] = (),
    why: str = "",
) -> Person:
    access.require(actor, "manage people")
    held = Person.objects.select_for_update().get(pk=person.pk)
    before = _told(held)
    first_name, last_name = without_turns(first_name), without_turns(last_name)
    if not (first_name.strip() or last_name.strip()):
        raise Invalid(_("Say how the person is called."), {"last_name": _("Needed.")})
    if capacity is not None and not 1 <= capacity <= MOST_CAPACITY:
        raise Invalid(_("A capacity is 1 to 1,000 cases."), {"capacity": _("1 to 1,000.")})
    wanted = sorted(set(roles))
    unknown = set(wanted) - set(all_roles())
    if unknown:
        raise Invalid(
            _("There is no role %(roles)s.") % {"roles": ", ".join(sorted(unknown))},
            {"roles": _("Choose among the roles there are.")},
        )
    after = {
        "first_name": first_name.strip(),
        "last_name": last_name.strip(),
        "email": email.strip(),
        "team": team.pk if team else None,
        "capacity": capacity,
        "roles": wanted,
        "leads": sorted(one.pk for one in leads),
    }
    changes = {
        name: [before[name], value] for name, value in after.items() if before[name] != value
    }
    _require_not_oneself(held, actor, changes)
    _require_an_administrator(held, before, after)
    held.first_name, held.last_name = after["first_name"], after["last_name"]
    held.email, held.team, held.capacity = after["email"], team, capacity
    held.save(update_fields=["first_name", "last_name", "email", "team", "capacity"])
    held.groups.set([Group.objects.get_or_create(name=role)[0] for role in wanted])
    held.leads.set(leads)
    held.__dict__.pop("_roles", None)
    held.__dict__.pop("_led", None)
    if changes:
        note_change("person.changed", actor=actor, person=held, why=why, changes=changes)
    return held


def _told(person: Person) -> dict[str, Any]:
    return {
        "first_name": person.first_name,
        "last_name": person.last_name,
        "email": person.email,
        "team": person.team_id,
        "capacity": person.capacity,
        "roles": sorted(person.groups.values_list("name", flat=True)),
        "leads": sorted(person.leads.values_list("pk", flat=True)),
    }


def _require_not_oneself(person: Person, actor: Actor, changes: Collection[str]) -> None:
    if actor.person is None or actor.person.pk != person.pk:
        return
    if {"roles", "team", "leads"} & set(changes):
        raise NotAllowed(
            _(
                "Nobody changes their own roles or teams; another administrator can. Nothing was "
                "changed."
            )
        )


def _require_an_administrator(
    person: Person, before: dict[str, Any], after: dict[str, Any]
) -> None:
    """The last administrator stays one, or nobody could give the role again."""
    role = access.ADMINISTRATOR
    if role not in before["roles"] or role in after["roles"]:
        return
    others = Person.objects.filter(is_active=True, groups__name=role).exclude(pk=person.pk)
    if not others.exists():
        raise Invalid(
            _("%(who)s is the last administrator. Give the role to somebody else first.")
            % {"who": person},
            {"roles": _("There has to be an administrator.")},
        )


@transaction.atomic
def reactivate_person(*, person: Person, actor: Actor, why: str) -> Person:
    """Let somebody in again who had left; they sign in by a new link. Safe to repeat."""
    access.require(actor, "manage people")
    held = Person.objects.select_for_update().get(pk=person.pk)
    if not held.is_active:
        clients.revoke_tokens(person=held, actor=actor)
        held.is_active = True
        held.set_unusable_password()
        held.save(update_fields=["is_active", "password"])
        note_change("person.back", actor=actor, person=held, why=why)
    return held


@transaction.atomic
def reset_sign_in(*, person: Person, actor: Actor) -> str:
    """A one-time link's path for a new password. The old one, and all sessions, end at once.
    Raises NotAllowed, Invalid for one who has left."""
    access.require(actor, "manage people")
    held = Person.objects.select_for_update().get(pk=person.pk)
    if not held.is_active:
        raise Invalid(_("%(who)s has left and cannot sign in.") % {"who": held})
    held.set_unusable_password()
    held.save(update_fields=["password"])
    note_change("sign_in.reset", actor=actor, person=held)
    key = urlsafe_base64_encode(force_bytes(held.pk))
    return f"{key}/{default_token_generator.make_token(held)}"


@transaction.atomic
def make_team(*, name: str, actor: Actor) -> Team:
    """A new team. Raises Invalid for a name that is taken, NotAllowed."""
    access.require(actor, "manage people")
    team = Team.objects.create(name=_team_name(name))
    note_change("team.made", actor=actor, team=team, name=team.name)
    return team


@transaction.atomic
def rename_team(*, team: Team, name: str, actor: Actor) -> Team:
    """Another name for a team; cases and people stay in it. Raises Invalid, NotAllowed."""
    access.require(actor, "manage people")
    held = Team.objects.select_for_update().get(pk=team.pk)
    before = held.name
    if name.strip() != before:
        held.name = _team_name(name)
        held.save(update_fields=["name"])
        note_change("team.renamed", actor=actor, team=held, changes={"name": [before, held.name]})
    return held


def _team_name(name: str) -> str:
    name = " ".join(without_turns(name).split())[:120]
    if not name:
        raise Invalid(_("A team has a name."), {"name": _("Needed.")})
    if Team.objects.filter(name__iexact=name).exists():
        raise Invalid(
            _("There is a team “%(name)s” already.") % {"name": name}, {"name": _("Taken already.")}
        )
    return name
