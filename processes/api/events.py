"""The feed: the events of all cases that the caller may read, in one order, each once."""

from __future__ import annotations

import re
from typing import ClassVar

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from audit import feed as order
from audit.feed import Place
from processes import feed
from processes.api import shapes
from processes.api.base import Api
from processes.api.parsing import QueryInvalid, Strict, query_of
from processes.api.waiting import watch
from timers import clock

LONGEST_WAIT = 30  # seconds
NOW = "now"
_TYPE = re.compile(r"[a-z][a-z_.]{0,59}\*?\Z")


class FeedQuery(Strict):
    after = s.CharField(
        required=False,
        max_length=200,
        allow_blank=True,
        help_text="A cursor that the feed gave; `now` for its end. From the beginning without.",
    )
    wait = s.IntegerField(
        required=False,
        min_value=0,
        max_value=LONGEST_WAIT,
        default=0,
        help_text="Seconds to wait for an event where there is none yet.",
    )
    limit = s.IntegerField(required=False, min_value=1, max_value=500, default=100)
    kind = s.CharField(
        required=False, max_length=200, help_text="Only cases of these kinds, by commas."
    )
    type = s.CharField(
        required=False,
        max_length=1000,
        help_text="Only events of these types, by commas; task.* stands for all that begin so.",
    )


class OfCase(s.Serializer):
    id = s.IntegerField()
    reference = s.CharField()
    kind = s.CharField()
    title = s.CharField()
    external = shapes.ExternalShape(allow_null=True)


class FeedEvent(shapes.EventShape):
    """An event, with the case that it is of. Its case and number name it for ever."""

    id = s.CharField(help_text="The same in the feed and in webhooks: drop what you had before.")
    case = OfCase()
    cursor = s.CharField(help_text="Going on with it begins behind this event.")


class FeedShape(s.Serializer):
    results = FeedEvent(many=True)
    next = s.CharField(help_text="Go on with after=…, also where there was nothing.")
    more = s.BooleanField(help_text="Whether going on at once may give more.")


class Events(Api):
    acts: ClassVar = {"GET": "read"}

    @extend_schema(
        operation_id="follow_events",
        tags=["events"],
        parameters=[FeedQuery],
        responses={200: FeedShape},
    )
    def get(self, request: Request) -> Response:
        """The events of all cases that you may read, in one order, each once, from a cursor on.
        None is left out, also if its commit came late; those of one case come in their order."""
        query = query_of(request, FeedQuery)
        kinds, types = _listed(query.get("kind", "")), _listed(query.get("type", ""))
        if any(not _TYPE.match(one) for one in types):
            raise QueryInvalid(
                _("A type is as history spells it, such as task.completed or task.*."),
                {"type": _("Such as task.completed or task.*.")},
            )
        order.number()
        place = _place(query.get("after", ""))
        until = clock.monotonic() + query["wait"]
        while True:
            cases = self.caller.cases("read")
            if kinds:
                cases = cases.filter(kind__in=kinds)
            found = feed.read(cases=cases, after=place, limit=query["limit"], types=types)
            left = until - clock.monotonic()
            if found.events or found.more or left <= 0:
                break
            is_grown = watch.wait(left)
            self.ask_again()
            if not is_grown:
                break
            place = found.place  # what lies before it is not for this reader
        told = feed.told(found.events)
        body = {"results": told, "next": feed.cursor_of(found.place), "more": found.more}
        return Response(body)


def _listed(said: str) -> list[str]:
    return [one.strip() for one in said.split(",") if one.strip()]


def _place(said: str) -> Place:
    if not said:
        return order.BEGINNING
    if said == NOW:
        return order.end()
    try:
        return feed.place_of(said)
    except ValueError:
        raise QueryInvalid(
            _("This cursor is not one of the feed. Begin without one."),
            {"after": _("A cursor of the feed, or now.")},
        ) from None
