"""Pages by cursor: each row once, forward and back, also while rows are added.

A cursor is the place of a row in the order: its value and its number, never a count of rows.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import DateTimeField, F, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

from processes.api.parsing import QueryInvalid, Strict

LIMIT, MOST = 50, 200
_NEVER = datetime.fromisoformat("9999-01-01T00:00:00+00:00")


class PageQuery(Strict):
    """What every list takes."""

    limit = serializers.IntegerField(
        min_value=1, max_value=MOST, required=False, help_text="Rows on a page; 50 unless given."
    )
    cursor = serializers.CharField(
        required=False, max_length=400, help_text="As `next` and `previous` of a page give it."
    )


@dataclass(frozen=True, slots=True)
class Order:
    """One way to order a list: by a field that may be empty (those come last), then by number."""

    field: str  # empty: by number alone
    is_date: bool = False


class Page(NamedTuple):
    rows: list[Any]
    next: str | None
    previous: str | None

    def told(self, results: list[Any]) -> dict[str, Any]:
        return {"results": results, "next": self.next, "previous": self.previous}


def page(
    request: Request,
    rows: QuerySet[Any],
    order: str,
    orders: dict[str, Order],
    also: dict[str, str] | None = None,
) -> Page:
    """One page of rows. `order` is a name of `orders`, with a minus for the other way; `also` are
    parameters that the other pages need beside those of this one."""
    given = request.query_params
    limit = int(given.get("limit") or LIMIT)
    name, descends = order.lstrip("-"), order.startswith("-")
    chosen = orders[name]
    key = "pk"
    if chosen.field:
        key = "_key"
        what: Any = F(chosen.field)
        if chosen.is_date:
            what = Coalesce(what, Value(_NEVER, output_field=DateTimeField()))
        rows = rows.annotate(_key=what)
    back, place = _read(given.get("cursor"), order, chosen)
    falls = descends != back
    if place is not None:
        rows = rows.filter(_beyond(key, place, falls))
    sign = "-" if falls else ""
    rows = rows.order_by(*([f"{sign}{key}"] if chosen.field else []), f"{sign}pk")
    found = list(rows[: limit + 1])
    more = len(found) > limit
    found = found[:limit]
    if back:
        found.reverse()
    ahead, behind = (place is not None, more) if back else (more, place is not None)

    def link(row: Any, *, back: bool) -> str:
        return _link(request, order, chosen, row, back=back, also=also or {})

    return Page(
        found,
        link(found[-1], back=False) if found and ahead else None,
        link(found[0], back=True) if found and behind else None,
    )


def _beyond(key: str, place: list[Any], falls: bool) -> Q:
    value, number = place
    side = "lt" if falls else "gt"
    if key == "pk":
        return Q(**{f"pk__{side}": number})
    return Q(**{f"{key}__{side}": value}) | Q(**{key: value, f"pk__{side}": number})


def _read(cursor: str | None, order: str, chosen: Order) -> tuple[bool, list[Any] | None]:
    if not cursor:
        return False, None
    try:
        text = base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        was, back, value, number = json.loads(text)
        if chosen.is_date:
            value = parse_datetime(value)
        fits = isinstance(value, datetime if chosen.is_date else str | None)
        small = type(number) is int and 0 <= number < 10**17
        if was != order or not fits or not small or type(back) is not bool:
            raise ValueError
    except (ValueError, TypeError, RecursionError):
        raise QueryInvalid(
            _("This cursor is not of this list in this order. Begin without one."),
            {"cursor": _("Not of this list.")},
        ) from None
    return back, [value, number]


def _link(
    request: Request,
    order: str,
    chosen: Order,
    row: Any,
    *,
    back: bool,
    also: dict[str, str],
) -> str:
    value = row._key if chosen.field else None
    value = value.isoformat() if isinstance(value, datetime) else value
    text = json.dumps([order, back, value, row.pk]).encode()
    given = request.query_params.copy()
    for name, said in also.items():
        given[name] = said
    given["cursor"] = base64.urlsafe_b64encode(text).decode().rstrip("=")
    return f"{request.path}?{given.urlencode()}"
