from datetime import timedelta
from typing import Any, Self

from django.db import models
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from audit import codec
from timers import clocks


class Timer(models.Model):
    """A moment at which a case goes on by itself.

    A row exists only while its timer is open: whoever fires or cancels it deletes the row in the
    transaction that records the event. Written and taken through timers.due.
    """

    id = models.BigAutoField(primary_key=True)
    case_id = models.BigIntegerField(_("case"))  # no foreign key: timers know no cases
    visit = models.IntegerField(_("step visit"))
    command = models.IntegerField(_("command"))
    purpose = models.TextField(_("purpose"))  # command, overdue, reminder, …
    due_at = models.DateTimeField(_("due"))
    data = models.TextField(_("data"), blank=True, default="", db_default="")

    class Meta:
        db_table = "timers_timer"
        verbose_name = _("timer")
        verbose_name_plural = _("timers")
        indexes = [models.Index(fields=["due_at", "id"], name="timers_timer_due")]
        constraints = [
            models.UniqueConstraint(
                fields=["case_id", "visit", "command", "purpose"], name="timers_timer_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.purpose} timer {self.case_id}/{self.visit}/{self.command}"


class Clock(models.Model):
    """A business clock of a case: the fold of its events, written with them.

    `data` is the whole state (timers.clocks.encode). What it is due to do next are timers of the
    case with visit and command 0, made from the same state.
    """

    id = models.BigAutoField(primary_key=True)
    case_id = models.BigIntegerField(_("case"))  # no foreign key: timers know no cases
    name = models.TextField(_("name"))
    calendar = models.TextField(_("calendar"), blank=True, default="")
    state = models.TextField(_("state"))  # running, paused, stopped
    started_at = models.DateTimeField(_("started"))
    target_at = models.DateTimeField(_("target"), null=True)
    limit_at = models.DateTimeField(_("limit"), null=True)
    is_late = models.BooleanField(_("late"), default=False)
    data = models.TextField(_("data"))

    class Meta:
        db_table = "timers_clock"
        verbose_name = _("clock")
        verbose_name_plural = _("clocks")
        constraints = [
            models.UniqueConstraint(fields=["case_id", "name"], name="timers_clock_once")
        ]
        indexes = [
            models.Index(
                fields=["calendar", "case_id"],
                condition=~models.Q(state="stopped"),
                name="timers_clock_open",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} of case {self.case_id}"

    @property
    def stood(self) -> clocks.ClockState:
        """The clock as it stands."""
        return clocks.decode(codec.decode(self.data))

    def told(self) -> tuple[Any, ...]:
        """What the row says, to be held against the history (timers.clockrows.told)."""
        return (
            self.name,
            self.calendar,
            self.state,
            self.started_at,
            self.target_at,
            self.limit_at,
            self.is_late,
            self.data,
        )


class CalendarRow(models.Model):
    """A calendar that administrators change: a country, a region, opening hours, local days.

    One with a kind or a team is chosen for the clocks of their cases; the one that is called
    “organisation” takes the place of the calendar in the settings. `base` names another calendar
    whose local days count here too. `version` is its newest change; up to `swept_version` the due
    times of open cases were reckoned again, of the one under way up to case `swept_upto`.
    """

    id = models.BigAutoField(primary_key=True)
    name = models.TextField(_("name"), unique=True)
    title = models.TextField(_("title"))
    country = models.TextField(_("country"))
    region = models.TextField(_("region"), blank=True, default="")
    opens = models.TimeField(_("opens"))
    closes = models.TimeField(_("closes"))
    zone = models.TextField(_("time zone"), blank=True, default="")
    kind = models.TextField(_("kind of case"), blank=True, default="")
    team_id = models.BigIntegerField(_("team"), null=True)  # timers know no teams
    base = models.TextField(_("builds on"), blank=True, default="")
    version = models.BigIntegerField(default=0)
    changed_at = models.DateTimeField()
    swept_version = models.BigIntegerField(default=0)
    sweeping_version = models.BigIntegerField(default=0)
    swept_upto = models.BigIntegerField(default=0)

    class Meta:
        db_table = "timers_calendar"
        ordering = ["name"]
        verbose_name = _("calendar")
        verbose_name_plural = _("calendars")
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "team_id"],
                condition=~models.Q(kind="") | models.Q(team_id__isnull=False),
                nulls_distinct=False,
                name="timers_calendar_chosen_once",
            )
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_chosen(self) -> bool:
        return bool(self.kind) or self.team_id is not None


class CalendarDay(models.Model):
    """A local day of a calendar: free, or worked whatever the law says."""

    id = models.BigAutoField(primary_key=True)
    calendar = models.ForeignKey(CalendarRow, on_delete=models.PROTECT, related_name="days")
    day = models.DateField(_("day"))
    works = models.BooleanField(_("working day"))
    title = models.TextField(_("name of the day"), blank=True, default="")

    class Meta:
        db_table = "timers_calendar_day"
        ordering = ["day"]
        verbose_name = _("local day")
        verbose_name_plural = _("local days")
        constraints = [
            models.UniqueConstraint(fields=["calendar", "day"], name="timers_calendar_day_once")
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.title}"


class CalendarChange(models.Model):
    """Who changed a calendar, when, why and how. Only ever added to."""

    id = models.BigAutoField(primary_key=True)
    calendar = models.ForeignKey(CalendarRow, on_delete=models.PROTECT, related_name="changes")
    at = models.DateTimeField(_("when"))
    by = models.TextField(_("who"))
    why = models.TextField(_("why"))
    what = models.TextField(_("what"))  # created, rules, free, works, cleared
    data = models.TextField(_("data"))

    class Meta:
        db_table = "timers_calendar_change"
        ordering = ["pk"]
        verbose_name = _("change of a calendar")
        verbose_name_plural = _("changes of calendars")

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self) -> str:
        data = codec.decode(self.data)
        told = {"day": data.get("day"), "title": data.get("title") or "–"}
        match self.what:
            case "free":
                return _("%(day)s is free (%(title)s)") % told
            case "works":
                return _("%(day)s is a working day") % told
            case "cleared":
                return _("%(day)s is as the law says") % told
            case "rules":
                told = {"after": ", ".join(filter(None, data["after"]))}
                return _("the rules are %(after)s") % told
        return str(_("the calendar is new"))


class Turn(models.Model):
    """How far ahead the clock of a demo installation is turned: one row, or none."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    offset_seconds = models.BigIntegerField(_("seconds ahead"), default=0)

    class Meta:
        db_table = "timers_turn"
        verbose_name = _("turn of the clock")
        verbose_name_plural = _("turns of the clock")
        constraints = [
            models.CheckConstraint(condition=models.Q(id=1), name="timers_turn_one_row"),
            models.CheckConstraint(
                condition=models.Q(offset_seconds__gte=0), name="timers_turn_ahead"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.offset_seconds} seconds ahead"


class DatabaseNow(models.Func):
    """The database's own clock. Signs of life are measured by it alone: it is the one clock that
    all machines share and that no demo turns."""

    template = "clock_timestamp()"
    output_field = models.DateTimeField()


class SignOfLifeQuerySet(models.QuerySet[Any]):
    """Rows with `silent_for`, the time since their last sign of life (None: there was none)."""

    def with_silence(self) -> Self:
        return self.annotate(
            silent_for=models.ExpressionWrapper(
                DatabaseNow() - models.F(self.model.SIGN), output_field=models.DurationField()
            )
        )

    def silent_longer_than(self, span: timedelta) -> Self:
        return self.with_silence().filter(silent_for__gt=span)


class Service(models.Model):
    """A process that says every few seconds that it lives: a clock, a worker."""

    SIGN = "seen_at"

    id = models.BigAutoField(primary_key=True)
    kind = models.TextField(_("kind"))  # clock, worker
    name = models.TextField(_("name"), unique=True)  # worker@machine:4711
    machine = models.TextField(_("machine"))
    pid = models.IntegerField(_("process"))
    started_at = models.DateTimeField(_("started"))
    seen_at = models.DateTimeField(_("last seen"))
    doing = models.TextField(_("doing"), blank=True, default="")
    skew_ms = models.IntegerField(_("clock behind the database (ms)"), default=0)

    objects = SignOfLifeQuerySet.as_manager()

    class Meta:
        db_table = "timers_service"
        ordering = ["kind", "name"]
        verbose_name = _("service")
        verbose_name_plural = _("services")

    def __str__(self) -> str:
        return self.name


class SweepQuerySet(SignOfLifeQuerySet):
    def late(self) -> Self:
        """Sweeps that have not succeeded within three of their intervals (and ten seconds)."""
        allowed = models.F("every_seconds") * 3 + 10
        return (
            self.with_silence()
            .annotate(
                late_by=DatabaseNow()
                - Coalesce("last_success_at", "known_since_at")
                - models.ExpressionWrapper(
                    allowed * models.Value(timedelta(seconds=1)),
                    output_field=models.DurationField(),
                )
            )
            .filter(late_by__gt=timedelta())
        )


class SweepRun(models.Model):
    """When a sweep of the timer service last ran, and last succeeded."""

    SIGN = "last_success_at"

    name = models.TextField(_("name"), primary_key=True)
    every_seconds = models.FloatField(_("every (seconds)"))
    known_since_at = models.DateTimeField(_("known since"))
    last_run_at = models.DateTimeField(_("last run"), null=True)
    last_success_at = models.DateTimeField(_("last success"), null=True)
    last_error = models.TextField(_("last error"), blank=True, default="")

    objects = SweepQuerySet.as_manager()

    class Meta:
        db_table = "timers_sweep"
        ordering = ["name"]
        verbose_name = _("sweep")
        verbose_name_plural = _("sweeps")

    def __str__(self) -> str:
        return self.name
