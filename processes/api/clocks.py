"""Acts on the business clocks of a case: pause, resume, extend, and set a pause right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from cases import access
from cases.models import Case
from processes.acts import caseclocks as acts
from processes.acts.cases import get_case
from processes.api import reading, safe, shapes
from processes.api.base import Api
from processes.api.parsing import Strict, body_of
from timers import calendars, clock
from timers.clocks import ClockState
from timers.models import Clock
from timers.spans import days

LONGEST_PAUSE_DAYS = 3660


class PauseClockBody(Strict):
    reason = s.CharField(max_length=4000, help_text="The customer may read it.")
    since = s.DateField(
        required=False, help_text="This day still counts, the days after it do not. Now, without."
    )
    at_most_days = s.IntegerField(
        required=False,
        min_value=1,
        max_value=LONGEST_PAUSE_DAYS,
        help_text="As long as the terms of the clock allow, unless given.",
    )


class ResumeClockBody(Strict):
    until = s.DateField(
        required=False, help_text="The days after this one count again. Now, without."
    )
    reason = s.CharField(required=False, default="", allow_blank=True, max_length=4000)


class ExtendClockBody(Strict):
    reason = s.CharField(max_length=4000, help_text="The customer may read it.")


class CorrectPauseBody(Strict):
    reason = s.CharField(max_length=4000)
    since = s.DateField(required=False, help_text="Left out: the clock never stood still.")
    until = s.DateField(required=False, help_text="Left out: it still stands still.")


class ClockAct(Api):
    """An act on one clock of a case; the answer is the case with its clocks."""

    acts: ClassVar = {"POST": "move"}
    fields_at: ClassVar = {"*": ""}

    def moved(
        self,
        reference: str,
        name: str,
        shape: type[Strict],
        act: Callable[..., ClockState],
        **more: Any,
    ) -> Any:
        def do() -> Response:
            given = body_of(self.request, shape)
            case = self.changed(reference)
            access.require(self.caller.actor, "work on case", case)
            state = _state(case, name)
            if "pause" in more and more["pause"] >= len(state.pauses):
                raise NotFound(_("This clock has no such pause."))
            if "at_most_days" in given:
                given["at_most"] = days(given.pop("at_most_days"))
            if "pause" not in more:
                given = {one: _now_if_today(value, state, one) for one, value in given.items()}
            act(case_id=case.pk, name=name, actor=self.caller.actor, **given, **more)
            after = get_case(case.pk)
            told = reading.composite(after, self.caller, {"clocks"})
            return Response(told, headers={"ETag": safe.etag(after)})

        return self.once(do)


class PauseClock(ClockAct):
    @extend_schema(
        operation_id="pause_clock",
        tags=["clocks"],
        request=PauseClockBody,
        responses={200: shapes.CaseShape},
    )
    def post(self, request: Request, reference: str, name: str) -> Response:
        """Let a clock stand still, with the reason; its limit moves."""
        return self.moved(reference, name, PauseClockBody, acts.pause_clock)  # type: ignore[no-any-return]


class ResumeClock(ClockAct):
    @extend_schema(
        operation_id="resume_clock",
        tags=["clocks"],
        request=ResumeClockBody,
        responses={200: shapes.CaseShape},
    )
    def post(self, request: Request, reference: str, name: str) -> Response:
        """Let a clock that stands still go on."""
        return self.moved(reference, name, ResumeClockBody, acts.resume_clock)  # type: ignore[no-any-return]


class ExtendClock(ClockAct):
    @extend_schema(
        operation_id="extend_clock",
        tags=["clocks"],
        request=ExtendClockBody,
        responses={200: shapes.CaseShape},
    )
    def post(self, request: Request, reference: str, name: str) -> Response:
        """Give a clock more time, as far and as often as its terms allow."""
        return self.moved(reference, name, ExtendClockBody, acts.extend_clock)  # type: ignore[no-any-return]


class CorrectPause(ClockAct):
    @extend_schema(
        operation_id="correct_pause",
        tags=["clocks"],
        request=CorrectPauseBody,
        responses={200: shapes.CaseShape},
    )
    def post(self, request: Request, reference: str, name: str, number: int) -> Response:
        """Set the days of a pause right, by its place from 0. For supervisors."""
        return self.moved(  # type: ignore[no-any-return]
            reference,
            name,
            CorrectPauseBody,
            _correct,
            pause=min(number, 10**6),
        )


def _correct(*, since: Any = None, until: Any = None, **given: Any) -> ClockState:
    return acts.correct_pause(since=since, until=until, **given)


def _state(case: Case, name: str) -> ClockState:
    row = Clock.objects.filter(case_id=case.pk, name=name).first()
    if row is None:
        known = Clock.objects.filter(case_id=case.pk).order_by("name")
        names = ", ".join(known.values_list("name", flat=True)) or _("none")
        raise NotFound(
            _("%(case)s has no clock “%(name)s”. It has: %(names)s.")
            % {"case": case, "name": name, "names": names}
        )
    return row.stood


def _now_if_today(value: Any, state: ClockState, field: str) -> Any:
    """Today means now, to the minute, for the clocks that count hours."""
    if field not in ("since", "until"):
        return value
    today = calendars.named(state.calendar).local(clock.now()).date()
    return clock.now() if value == today else value
