"""Lists of cases: narrowed by what a person chose, in an order, a page at a time.

A person sees a case for one of several reasons, each of which has an index of its own. So a page is
made of the first rows of each reason, put together; a condition that names all reasons at once
would be tried on every case there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import F, OrderBy, OuterRef, Subquery

from cases import access
from cases.counting import COUNTED_TO, Sql, sql_of
from cases.models import Case, Person, Reminder
from cases.queries import CASE_SORTS, PAGE_ROWS, Choice, narrowed


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of a list. `count` is of all its pages, up to one more than COUNTED_TO."""

    rows: list[Any]
    count: int
    has_next: bool


def page_of_cases(person: Person, choice: Choice, now: datetime, *, page: int = 1) -> Listed:
    """A page of the cases that a person may see and chose, the most pressing first. Two queries."""
    first = (page - 1) * PAGE_ROWS
    count, ids = _found(person, choice, now, first=first, most=PAGE_ROWS + 1)
    return Listed(_rows(person, ids[:PAGE_ROWS]), count, len(ids) > PAGE_ROWS)


def first_cases(person: Person, choice: Choice, now: datetime, *, most: int) -> list[Any]:
    """Up to `most` of them, in the same order: to act on all of a list."""
    _count, ids = _found(person, choice, now, first=0, most=most)
    return _rows(person, ids)


def _order(choice: Choice) -> tuple[OrderBy, bool]:
    """The column that puts the list in order, and whether the order goes down."""
    name = choice.sort.removeprefix("-")
    if not name and choice.state == "closed":
        return F("closed_at").desc(), True
    column, is_down = F(CASE_SORTS.get(name, "waiting_until")), choice.sort.startswith("-")
    return column.desc(nulls_last=True) if is_down else column.asc(nulls_last=True), is_down


def _found(
    person: Person, choice: Choice, now: datetime, *, first: int, most: int
) -> tuple[int, list[int]]:
    """How many cases there are, and the ids of a stretch of them."""
    order, is_down = _order(choice)
    by_id = "-id" if is_down and not choice.sort else "id"
    firsts: list[Sql] = []
    counted: list[Sql] = []
    for part in access.visible_parts(person):
        rows = narrowed(part, choice, now, person=person)
        listed = rows.order_by(order, by_id).values_list("pk", order.expression)[: first + most]
        if (sql := sql_of(listed)) is not None:
            firsts.append(sql)
        if (sql := sql_of(rows.order_by().values_list("pk")[: COUNTED_TO + 1])) is not None:
            counted.append(sql)
    if not firsts:
        return 0, []
    way = "DESC" if is_down else "ASC"
    id_way = "DESC" if by_id == "-id" else "ASC"
    statement = (
        f"SELECT (SELECT count(*) FROM (SELECT id FROM ({_union(counted)}) AS seen (id)"
        f" LIMIT {COUNTED_TO + 1}) AS counted), page.id FROM (SELECT 1) AS one LEFT JOIN ("
        f"SELECT id, row_number() OVER (ORDER BY key {way} NULLS LAST, id {id_way}) AS place"
        f" FROM ({_union(firsts)}) AS listed (id, key)"
        f" ORDER BY place OFFSET {first:d} LIMIT {most:d}) AS page ON true ORDER BY page.place"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [value for sql in (*counted, *firsts) for value in sql[1]])
        rows = cursor.fetchall()
    return rows[0][0], [pk for _count, pk in rows if pk is not None]


def _union(parts: Sequence[Sql]) -> str:
    """Each row once: a case may be seen for several reasons."""
    return " UNION ".join(f"({sql})" for sql, _params in parts)


def _rows(person: Person, ids: Sequence[int]) -> list[Any]:
    """What the list shows of these cases, in their order."""
    mine = Reminder.objects.filter(case=OuterRef("pk"), person=person).values("due_at")
    cases = Case.objects.select_related("owner", "team").annotate(remind_at=Subquery(mine[:1]))
    found = cases.in_bulk(ids) if ids else {}
    return [found[pk] for pk in ids if pk in found]
