"""Counting many lists in one statement, none of them past a limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.models import QuerySet

COUNTED_TO = 1000  # past this a list says "more than 1,000"

Sql = tuple[str, tuple[Any, ...]]


def sql_of(rows: QuerySet[Any]) -> Sql | None:
    """The statement of a query; None for one that can give nothing."""
    try:
        return rows.query.sql_with_params()
    except EmptyResultSet:
        return None


def union_of(parts: Sequence[Sql | None]) -> Sql | None:
    """Statements with the same columns as one."""
    known = [one for one in parts if one is not None]
    if not known:
        return None
    text = " UNION ALL ".join(f"({sql})" for sql, _params in known)
    return text, tuple(value for _sql, params in known for value in params)


def count_sql(parts: Sequence[QuerySet[Any]]) -> Sql:
    """How many rows there are in these together, as a value in a statement. Each part counts to
    COUNTED_TO + 1 and no further."""
    texts: list[str] = []
    values: list[Any] = []
    for part in parts:
        limited = sql_of(part.order_by().values("pk")[: COUNTED_TO + 1])
        if limited is not None:
            texts.append(f"(SELECT count(*) FROM ({limited[0]}) AS counted)")
            values += limited[1]
    return f"least({' + '.join(texts) or '0'}, {COUNTED_TO + 1})", tuple(values)
