"""Business clocks: a term that runs, stands still, is extended, and says when it is up.

A clock is a fold of its events. What was put in (start, pauses, extensions) and what was reckoned
from it on a calendar (`dates`) both stand in each event, so folding needs no calendar and gives
the same dates for ever; reckoning again on the calendar of today tells whether they still hold.

    state = fold(None, "clock.started", clockwork.started(terms, start=…, calendar=…), at)
    state = fold(state, "clock.paused", clockwork.paused(state, terms, since=…, reason=…), at)

Nothing here touches a database. What an event says is made in clockwork.py; the engine writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from timers import spans
from timers.reckoning import When, counts_days
from timers.spans import Span

RESUME, ALERT = "resume", "alert"


class ClockRefused(ValueError):
    """What was asked of a clock cannot be, in a sentence that says why and what would work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a kind declares a clock. Changing it changes clocks that are started from then on."""

    name: str
    title: Any
    limit: Span
    target: Span | None = None
    extend_by: Span | None = None
    extensions: int = 0
    pause_at_most: Span | None = None  # each pause
    after_pause: str = RESUME  # when a pause reaches its end: the clock resumes, or people are told
    warn: tuple[Span, ...] = ()  # this long before the limit
    calendar: str = ""  # empty: that of the team, of the kind, or of the organisation
    ends_on_working_day: bool = False  # a limit on a free day moves to the next working day
    ours: bool = True  # not ours: a time that others have, which is over and not missed

    def __post_init__(self) -> None:
        if not self.name or len(self.name) > 60 or ":" in self.name:
            raise ValueError(f"clock {self.name!r}: a name has 1 to 60 characters and no colon.")
        if self.after_pause not in (RESUME, ALERT):
            raise ValueError(
                f"clock {self.name}: after_pause={self.after_pause!r}; it is "
                f"{RESUME!r} or {ALERT!r}."
            )
        for what, span in (("target", self.target), ("extend_by", self.extend_by)):
            if span is not None and counts_days(span) != counts_days(self.limit):
                raise ValueError(
                    f"clock {self.name}: {what} is in {span.unit} and the limit in "
                    f"{self.limit.unit}; both end on a day, or both at an instant."
                )
        if self.extensions and self.extend_by is None:
            raise ValueError(f"clock {self.name}: extensions={self.extensions} needs extend_by.")


@dataclass(frozen=True, slots=True)
class Pause:
    """A time in which the clock stands still; `until` is None while it does."""

    since: When
    until: When | None
    reason: str
    at_most: Span | None = None


@dataclass(frozen=True, slots=True)
class Extension:
    by: Span
    reason: str


@dataclass(frozen=True, slots=True)
class Dates:
    """What was reckoned. All None while a pause without an end leaves it open."""

    limit_on: date | None = None  # the last day, of a clock that counts days
    limit_at: datetime | None = None
    target_at: datetime | None = None
    warn_at: tuple[datetime, ...] = ()
    pause_ends_at: datetime | None = None
    pause_until: When | None = None  # what a pause that reaches its end ends with
    holidays: tuple[tuple[date, str], ...] = ()
    rolled_from: date | None = None  # where the limit would lie, were that day not free


@dataclass(frozen=True, slots=True)
class ClockState:
    """A clock of a case as its events say it stands."""

    name: str
    calendar: str
    start: When
    started_at: datetime
    limit: Span
    target: Span | None = None
    warn: tuple[Span, ...] = ()
    after_pause: str = RESUME
    ends_on_working_day: bool = False
    pauses: tuple[Pause, ...] = ()
    extensions: tuple[Extension, ...] = ()
    stopped: When | None = None
    stopped_at: datetime | None = None
    dates: Dates = Dates()
    passed: tuple[str, ...] = ()  # what has come to pass: limit, target, pause, warn0, warn1…

    @property
    def limit_at(self) -> datetime | None:
        """When the time is up; None while that is open. Of a paused clock: if the pause takes as
        long as it may."""
        return self.dates.limit_at

    @property
    def target_at(self) -> datetime | None:
        return self.dates.target_at

    @property
    def is_paused(self) -> bool:
        return self.stopped is None and self.pause is not None

    @property
    def is_stopped(self) -> bool:
        return self.stopped is not None

    @property
    def is_running(self) -> bool:
        return not self.is_stopped and not self.is_paused

    @property
    def has_passed(self) -> bool:
        """Whether the limit was reached while the clock ran."""
        return "limit" in self.passed

    @property
    def extended(self) -> int:
        """How often it was extended."""
        return len(self.extensions)

    @property
    def pause(self) -> Pause | None:
        """The pause that is under way."""
        return self.pauses[-1] if self.pauses and self.pauses[-1].until is None else None

    @property
    def spans(self) -> list[Span]:
        return [self.limit, *(one.by for one in self.extensions)]

    @property
    def word(self) -> str:
        return "stopped" if self.is_stopped else "paused" if self.is_paused else "running"


# -- the fold

# What the code of a step may ask for; staff do the same, without a command.
COMMANDED = frozenset(
    {"clock.started", "clock.paused", "clock.resumed", "clock.extended", "clock.stopped"}
)
EVENTS = COMMANDED | frozenset(
    {
        "clock.corrected",
        "clock.recomputed",
        "clock.warned",
        "clock.target_passed",
        "clock.limit_passed",
        "clock.pause_passed",
    }
)


def fold(state: ClockState | None, type: str, data: Mapping[str, Any], at: datetime) -> ClockState:
    """A clock after one more event. What comes to pass is forgotten where a change moves it into
    the future again: a warning is given anew for a limit that has moved."""
    after = applied(state, type, data, at)
    if "dates" not in data:
        return after
    dates = _decode_dates(data["dates"])
    points = points_of(dates)
    passed = tuple(
        mark for mark in after.passed if (point := points.get(mark)) is None or point <= at
    )
    return replace(after, dates=dates, passed=passed)


def track(clocks: dict[str, ClockState], type: str, data: Mapping[str, Any], at: datetime) -> None:
    """Move the clocks of a case on by one event of its history."""
    if type in EVENTS:
        if "unchanged" not in data:
            clocks[data["name"]] = fold(clocks.get(data["name"]), type, data, at)
    elif type == "step.entered" and data.get("closed"):
        for name, state in clocks.items():
            if not state.is_stopped:
                clocks[name] = replace(state, stopped=at, stopped_at=at)


def applied(
    state: ClockState | None, type: str, data: Mapping[str, Any], at: datetime
) -> ClockState:
    if type == "clock.started":
        return ClockState(
            name=data["name"],
            calendar=data["calendar"],
            start=data["start"],
            started_at=at,
            limit=spans.decode(data["limit"]),
            target=_span(data.get("target")),
            warn=tuple(spans.decode(span) for span in data.get("warn", ())),
            after_pause=data.get("after_pause", RESUME),
            ends_on_working_day=data.get("ends_on_working_day", False),
        )
    if state is None:
        raise ClockRefused(f"The clock “{data['name']}” was not started.")
    pauses = state.pauses
    match type:
        case "clock.paused":
            pause = Pause(data["since"], None, data["reason"], _span(data.get("at_most")))
            passed = tuple(mark for mark in state.passed if mark != "pause")
            return replace(state, pauses=(*pauses, pause), passed=passed)
        case "clock.resumed":
            return replace(state, pauses=(*pauses[:-1], replace(pauses[-1], until=data["until"])))
        case "clock.extended":
            extension = Extension(spans.decode(data["by"]), data["reason"])
            return replace(state, extensions=(*state.extensions, extension))
        case "clock.stopped":
            return replace(state, stopped=data["until"], stopped_at=at)
        case "clock.corrected":
            place = data["pause"]
            right = (
                ()
                if data["since"] is None
                else (replace(pauses[place], since=data["since"], until=data["until"]),)
            )
            return replace(state, pauses=(*pauses[:place], *right, *pauses[place + 1 :]))
        case "clock.recomputed":
            return state
        case "clock.warned" | "clock.target_passed" | "clock.limit_passed" | "clock.pause_passed":
            return replace(state, passed=(*state.passed, data["mark"]), **_open_ended(state, data))
    raise ValueError(f"{type} is no event of a clock.")


def _open_ended(state: ClockState, data: Mapping[str, Any]) -> dict[str, Any]:
    """A pause that goes on past its end leaves the limit open."""
    if data["mark"] != "pause":
        return {}
    return {"dates": Dates()}


def _span(data: Mapping[str, Any] | None) -> Span | None:
    return spans.decode(data) if data else None


# -- what is to happen when


def due_times(state: ClockState) -> dict[str, datetime]:
    """What is still to come to pass, by its mark: one timer each."""
    if state.is_stopped:
        return {}
    dates = state.dates
    if state.is_paused:
        if dates.pause_ends_at is None or "pause" in state.passed:
            return {}
        return {"pause": dates.pause_ends_at}
    return {
        mark: point
        for mark, point in points_of(dates).items()
        if point and mark not in state.passed
    }


def points_of(dates: Dates) -> dict[str, datetime | None]:
    points: dict[str, datetime | None] = {"limit": dates.limit_at, "target": dates.target_at}
    points.update({f"warn{place}": at for place, at in enumerate(dates.warn_at)})
    return points


# -- as plain data, for a checkpoint or a row


def encode(state: ClockState) -> dict[str, Any]:
    """A clock as plain data; decode() gives it back."""
    data: dict[str, Any] = {
        "name": state.name,
        "calendar": state.calendar,
        "start": state.start,
        "started_at": state.started_at,
        "limit": state.limit.encode(),
        "dates": encode_dates(state.dates),
    }
    if state.target is not None:
        data["target"] = state.target.encode()
    if state.warn:
        data["warn"] = [span.encode() for span in state.warn]
    if state.after_pause != RESUME:
        data["after_pause"] = state.after_pause
    if state.ends_on_working_day:
        data["ends_on_working_day"] = True
    if state.pauses:
        data["pauses"] = [
            [p.since, p.until, p.reason, p.at_most.encode() if p.at_most else None]
            for p in state.pauses
        ]
    if state.extensions:
        data["extensions"] = [[one.by.encode(), one.reason] for one in state.extensions]
    if state.stopped is not None:
        data["stopped"], data["stopped_at"] = state.stopped, state.stopped_at
    if state.passed:
        data["passed"] = list(state.passed)
    return data


def decode(data: Mapping[str, Any]) -> ClockState:
    """The clock that encode() was given."""
    state = applied(None, "clock.started", data, data["started_at"])
    return replace(
        state,
        dates=_decode_dates(data["dates"]),
        pauses=tuple(
            Pause(since, until, reason, _span(at_most))
            for since, until, reason, at_most in data.get("pauses", ())
        ),
        extensions=tuple(
            Extension(spans.decode(by), reason) for by, reason in data.get("extensions", ())
        ),
        stopped=data.get("stopped"),
        stopped_at=data.get("stopped_at"),
        passed=tuple(data.get("passed", ())),
    )


def encode_all(clocks: Mapping[str, ClockState]) -> dict[str, Any]:
    return {name: encode(state) for name, state in clocks.items()}


def decode_all(data: Mapping[str, Any]) -> dict[str, ClockState]:
    return {name: decode(one) for name, one in data.items()}


def encode_dates(dates: Dates) -> dict[str, Any]:
    data: dict[str, Any] = {
        name: value
        for name in ("limit_on", "limit_at", "target_at", "pause_ends_at", "pause_until")
        if (value := getattr(dates, name)) is not None
    }
    if dates.warn_at:
        data["warn_at"] = list(dates.warn_at)
    if dates.holidays:
        data["holidays"] = [list(one) for one in dates.holidays]
    if dates.rolled_from is not None:
        data["rolled_from"] = dates.rolled_from
    return data


def _decode_dates(data: Mapping[str, Any]) -> Dates:
    return Dates(
        limit_on=data.get("limit_on"),
        limit_at=data.get("limit_at"),
        target_at=data.get("target_at"),
        warn_at=tuple(data.get("warn_at", ())),
        pause_ends_at=data.get("pause_ends_at"),
        pause_until=data.get("pause_until"),
        holidays=_pairs(data.get("holidays", ())),
        rolled_from=data.get("rolled_from"),
    )


def _pairs(found: Iterable[Sequence[Any]]) -> tuple[tuple[date, str], ...]:
    return tuple((day, name) for day, name in found)
