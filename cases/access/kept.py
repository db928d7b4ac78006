"""Filters that every page asks for, spelled once: to build one anew takes Django several times as
long as it takes the database to answer.

What is kept is SQL with its parameters, under all that they were made of: who asks, their roles and
teams, whom they stand in for, the day. Only the moment of asking differs from one use to the next.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from cases.absence import today
from cases.access.roles import SEE_ALL
from cases.access.scope import selves, visible_cases
from cases.models import Case, Client, Person
from timers import clock

ASKING = datetime(9999, 12, 30, tzinfo=UTC)  # in the place of the moment of asking
MOST = 2000

Spelled = tuple[str, tuple[Any, ...]]

_kept: OrderedDict[Any, Spelled] = OrderedDict()
_lock = Lock()


def visible_pks(person: Person | Client) -> Any:
    """The ids of `visible_cases`, for `pk__in` where few cases are asked for."""
    if isinstance(person, Client) or not person.is_active or sees_all(person):
        return visible_cases(person).values("pk")
    sql, params = spelled("visible", person, lambda: visible_cases(person, at=ASKING).values("pk"))
    return RawSQL(sql, params)


def sees_all(person: Person) -> bool:
    return bool(person.roles & SEE_ALL) or person.is_superuser


def spelled(
    what: str, person: Person, build: Callable[[], QuerySet[Any, Any]]
) -> tuple[str, list[Any]]:
    """The SQL of a query for this person, and its parameters as of now. `build` makes it where it
    is not kept yet, with ASKING for the moment."""
    key = (
        what,
        person.pk,
        person.is_active,
        person.is_superuser,
        person.roles,
        person.team_ids,
        tuple(selves(person)),
        today(),
    )
    with _lock:
        found = _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
    if found is None:
        found = _spelling(build)
        with _lock:
            _kept[key] = found
            while len(_kept) > MOST:
                _kept.popitem(last=False)
    sql, params = found
    now = clock.now()
    return sql, [now if one == ASKING else one for one in params]


def _spelling(build: Callable[[], QuerySet[Any, Any]]) -> Spelled:
    try:
        sql, params = build().query.sql_with_params()
    except EmptyResultSet:
        return Case.objects.filter(pk=0).values("pk").query.sql_with_params()
    return sql, tuple(params)
