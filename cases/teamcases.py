"""A team's open cases, each told in the terms of the team page; its numbers and lists use these.

*In review*: an open review. *In hand*: it waits for a member of staff. *Waiting*: for a party, for
a time, for Longcase, or stopped. *Paused*: one of its clocks stands still, whatever the phase.
*Past its limit*: a clock has run out. *Late*: that, or the deadline of its step has passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import Case as When_
from django.db.models import CharField, Exists, F, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from cases import dates
from cases.models import Case, Task
from timers import calendars
from timers.models import Clock

DUE_WORKING_DAYS = 5
REVIEW_DAYS = 5  # a review that is open longer stands out
AGES = ((0, 14), (15, 28), (29, 56), (57, 90), (91, None))  # days since a case was opened, both in
OLD_FROM = 3  # the place in AGES from which cases are called old
FILTERS = (
    "all",
    "limit",
    "late",
    "due",
    "nobody",
    "review",
    "hand",
    "waiting",
    "paused",
    "stopped",
)


# Nobody works on it: it has no caseworker, or that one has left.
NOBODYS = Q(owner=None) | Q(owner__is_active=False)


@dataclass(frozen=True, slots=True)
class Moments:
    """The moments by which cases are told apart, all from one look at the clock."""

    now: datetime
    due_end: datetime  # the end of the fifth working day from today
    review_since: datetime
    age_starts: tuple[datetime, ...]  # opened at this or later: younger than the next class
    of_others: tuple[str, ...]  # clocks of a time that others have, which we cannot miss

    @classmethod
    def at(cls, now: datetime, *, of_others: Sequence[str]) -> Moments:
        today = dates.local_date(now)
        last = calendars.default().add_working_days(today, DUE_WORKING_DAYS)
        starts = tuple(_midnight(today - timedelta(days=least)) for least, _most in AGES[1:])
        return cls(
            now=now,
            due_end=_midnight(last + timedelta(days=1)),
            review_since=now - timedelta(days=REVIEW_DAYS),
            age_starts=tuple(start + timedelta(days=1) for start in starts),
            of_others=tuple(of_others),
        )


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()))


def told(cases: QuerySet[Case], moments: Moments) -> QuerySet[Any]:
    """The cases with phase, age, is_paused, is_past, is_late, is_due and is_long_in_review."""
    clocks = Clock.objects.filter(case_id=OuterRef("pk"))
    running = clocks.filter(state="running").exclude(name__in=moments.of_others)
    reviews = Task.objects.filter(case=OuterRef("pk"), state="open", is_review=True)
    past = running.filter(Q(is_late=True) | Q(limit_at__lt=moments.now))
    near = running.filter(limit_at__gte=moments.now, limit_at__lt=moments.due_end)
    by_step = Q(waiting_until__lt=moments.now)
    due_step = Q(waiting_until__gte=moments.now, waiting_until__lt=moments.due_end)
    return cases.annotate(
        is_paused=Exists(clocks.filter(state="paused")),
        is_past=Exists(past),
        is_in_review=Exists(reviews),
        is_long_in_review=Exists(reviews.filter(opened_at__lt=moments.review_since)),
        is_late=When_(When(by_step | Q(is_past=True), then=Value(True)), default=Value(False)),
        is_due=When_(
            When(~Q(is_late=True) & (due_step | Exists(near)), then=Value(True)),
            default=Value(False),
        ),
        phase=When_(
            When(is_in_review=True, then=Value("review")),
            When(
                stopped_at=None,
                waiting_on__in=Group.objects.values("name"),
                then=Value("hand"),
            ),
            default=Value("waiting"),
            output_field=CharField(),
        ),
        age=When_(
            *(
                When(opened_at__gte=start, then=Value(place))
                for place, start in enumerate(moments.age_starts)
            ),
            default=Value(len(AGES) - 1),
            output_field=IntegerField(),
        ),
    )


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which of a team's cases a list shows. Each number of the team page is one of these."""

    show: str = "all"
    owner: str = ""  # nobody, or a person's id
    age: str = ""  # a place in AGES
    kind: str = ""
    step: str = ""


def chosen(cases: QuerySet[Any], choice: Chosen) -> QuerySet[Any]:
    """Those of these told cases that were chosen, the one that is due first on top."""
    match choice.show:
        case "limit":
            cases = cases.filter(is_past=True)
        case "late":
            cases = cases.filter(is_late=True)
        case "due":
            cases = cases.filter(is_due=True)
        case "nobody":
            cases = cases.filter(NOBODYS)
        case "review" | "hand" | "waiting":
            cases = cases.filter(phase=choice.show)
        case "paused":
            cases = cases.filter(is_paused=True)
        case "stopped":
            cases = cases.filter(stopped_at__isnull=False)
    if choice.owner == "nobody":
        cases = cases.filter(owner=None)
    elif is_number(choice.owner):
        cases = cases.filter(owner=int(choice.owner))
    if is_number(choice.age):
        cases = cases.filter(age=int(choice.age))
    if choice.kind:
        cases = cases.filter(kind=choice.kind)
    if choice.step:
        cases = cases.filter(step=choice.step)
    if choice.step:
        return cases.order_by("entered_at", "pk")
    return cases.order_by(F("waiting_until").asc(nulls_last=True), "opened_at", "pk")


def is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 18
