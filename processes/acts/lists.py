"""Saved lists: a filter under a name, for oneself or for the team. They hold no rights."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from cases import access
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import Person, SavedList
from timers import clock

NAME_CHARACTERS = 60
LISTS_EACH = 50  # that one person keeps
PAGES = ("work", "cases")


def lists_of(person: Person) -> QuerySet[SavedList]:
    """A person's own lists, and those that their teams share."""
    shared = Q(team__in=person.team_ids) if person.team_ids else Q(pk__in=[])
    return SavedList.objects.filter(Q(owner=person) | shared).select_related("owner", "team")


def save_list(
    *, name: str, page: str, query: str, shared: bool, start: bool, actor: Actor
) -> SavedList:
    """Keep a filter of one of the pages under a name. Raises Invalid, NotAllowed."""
    person = _person(actor)
    if access.AUDITOR in person.roles:
        raise NotAllowed(_("Auditors change nothing, and keep no lists."))
    if page not in PAGES:
        raise Invalid(_("There is no such page with lists."))
    if SavedList.objects.filter(owner=person).count() >= LISTS_EACH:
        raise Invalid(_("You keep %(n)s lists already. Remove one first.") % {"n": LISTS_EACH})
    row = SavedList(owner=person, page=page, query=query, saved_at=clock.now())
    return _keep(row, name=name, shared=shared, start=start, person=person)


def change_list(
    *, saved: SavedList, name: str, shared: bool, start: bool, actor: Actor
) -> SavedList:
    """Another name, shared or not, the page to begin with or not. Whoever may not change it may
    still begin with it. Raises Invalid, NotAllowed."""
    person = _person(actor)
    if not access.may(person, "change list", saved):
        _begin_with(saved, start=start, person=person)
        return saved
    return _keep(saved, name=name, shared=shared, start=start, person=person)


def remove_list(*, saved: SavedList, actor: Actor) -> None:
    """Take a list away, for everybody who has it. Safe to repeat. Raises NotAllowed."""
    access.require(actor, "change list", saved)
    SavedList.objects.filter(pk=saved.pk).delete()


def _keep(row: SavedList, *, name: str, shared: bool, start: bool, person: Person) -> SavedList:
    row.name = " ".join(name.split())
    if not row.name or len(row.name) > NAME_CHARACTERS or "\0" in row.name:
        raise Invalid(
            _("A list has a name of at most %(n)s characters.") % {"n": NAME_CHARACTERS},
            {"name": _("Give it a name of 1 to %(n)s characters.") % {"n": NAME_CHARACTERS}},
        )
    if not shared:
        row.team = None
    elif row.team_id is None:
        if person.team is None:
            raise Invalid(_("You are in no team to share it with."), {"shared": _("No team.")})
        row.team = person.team
    try:
        with transaction.atomic():
            row.save()
            _begin_with(row, start=start, person=person)
    except IntegrityError:
        raise Invalid(
            _("You have a list “%(name)s” already.") % {"name": row.name},
            {"name": _("Choose another name.")},
        ) from None
    return row


def _begin_with(row: SavedList, *, start: bool, person: Person) -> None:
    if start and person.start_list_id != row.pk:
        person.start_list = row
    elif not start and person.start_list_id == row.pk:
        person.start_list = None
    else:
        return
    person.save(update_fields=["start_list"])


def _person(actor: Actor) -> Person:
    if actor.person is None:
        raise NotAllowed(_("Only a person keeps lists."))
    return actor.person
