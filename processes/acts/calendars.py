"""Business calendars as administrators change them: who may, and in whose name."""

from __future__ import annotations

from datetime import date
from typing import Any

from cases import access
from cases.actors import Actor
from cases.errors import Invalid
from timers import calendarbook
from timers.calendarbook import CalendarRefused
from timers.models import CalendarRow


def create_calendar(*, actor: Actor, why: str, **given: Any) -> CalendarRow:
    """A new calendar. Raises NotAllowed, Invalid."""
    access.require(actor, "change calendar")
    try:
        return calendarbook.create(by=actor.code, why=why, **given)
    except CalendarRefused as refusal:
        raise Invalid(str(refusal)) from refusal


def set_day(*, actor: Actor, name: str, day: date, what: str, title: str, why: str) -> CalendarRow:
    """Make a day free or a working day, or leave it to the law. Raises NotAllowed, Invalid."""
    access.require(actor, "change calendar")
    try:
        if what == "law":
            return calendarbook.clear_day(name, day, by=actor.code, why=why)
        return calendarbook.set_day(
            name, day, works=what == "works", title=title, by=actor.code, why=why
        )
    except CalendarRefused as refusal:
        raise Invalid(str(refusal)) from refusal
