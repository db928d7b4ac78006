"""Tables beside history from which process owners' questions are answered: each row is derived from
the events of one case, and can be made anew from them. They hold no text of a case: names of steps,
transitions, roles, activities, clocks and papers as the kind declares them, moments and numbers.
"""

from __future__ import annotations

from typing import Any

from django.db import models


def _case() -> Any:
    # Without a constraint in the database: writing these rows must never wait for a locked case.
    return models.ForeignKey(
        "cases.Case", on_delete=models.CASCADE, related_name="+", db_constraint=False
    )


class CasePath(models.Model):
    """The steps of a case in the order in which it entered them, up to an event."""

    case = models.OneToOneField(
        "cases.Case",
        on_delete=models.CASCADE,
        related_name="path",
        db_constraint=False,
        primary_key=True,
    )
    kind = models.CharField(max_length=40)
    steps = models.TextField()  # with ">" between; of very long ones the first 200
    digest = models.CharField(max_length=16)  # of all of them: the same for the same way
    visits = models.IntegerField()
    upto = models.IntegerField()  # the number of the last event that the rows of the case know

    class Meta:
        indexes = [models.Index(fields=["kind", "digest"], name="case_path_variant")]

    def __str__(self) -> str:
        return f"the way of case {self.case_id}"


class StepVisit(models.Model):
    """A case in a step, from entry until it left. A restart of the step's code is no new visit."""

    case = _case()
    kind = models.CharField(max_length=40)
    number = models.IntegerField()  # the engine's number of the visit
    step = models.CharField(max_length=60)
    came_from = models.CharField(max_length=60, default="")  # empty: the case was opened here
    came_by = models.CharField(max_length=100, default="")  # the transition
    entered_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)
    left_by = models.CharField(max_length=100, default="")
    went_to = models.CharField(max_length=60, default="")
    seconds = models.FloatField(default=0)  # from entry to leaving
    days = models.IntegerField(default=0)  # calendar days between the two, of the organisation
    before = models.IntegerField(default=0)  # how often the case had been in this step before
    is_end = models.BooleanField(default=False)  # the case was closed in it
    reopened = models.BooleanField(default=False)  # entered by reopening the case

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "number"], name="step_visit_once"),
        ]
        indexes = [
            models.Index(fields=["kind", "left_at"], name="step_visit_left"),
            models.Index(fields=["kind", "entered_at"], name="step_visit_entered"),
        ]

    def __str__(self) -> str:
        return f"visit {self.number} of case {self.case_id}: {self.step}"


class VisitWait(models.Model):
    """How long a visit that ended had waited for one party; several may be waited for at once."""

    case = _case()
    kind = models.CharField(max_length=40)
    number = models.IntegerField()  # of the visit
    step = models.CharField(max_length=60)
    left_at = models.DateTimeField()  # when the visit ended
    sort = models.CharField(max_length=10)  # people, party, service, clock, case, stopped
    party = models.CharField(max_length=200)  # the role, the party or the activity
    seconds = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case", "number", "sort", "party"], name="visit_wait_once"
            ),
        ]
        indexes = [models.Index(fields=["kind", "left_at"], name="visit_wait_left")]

    def __str__(self) -> str:
        return f"visit {self.number} of case {self.case_id} waited for {self.party or self.sort}"


class Term(models.Model):
    """A clock of a case, or a task with a due moment: when it was due, and when it was done."""

    case = _case()
    kind = models.CharField(max_length=40)
    began = models.IntegerField()  # the number of the event that started it
    sort = models.CharField(max_length=5)  # clock, task
    name = models.CharField(max_length=200)
    step = models.CharField(max_length=60)  # in which it started
    started_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)  # as it stood at the end; null: it was left open
    ended_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=9)  # open, done, cancelled (a task that lost its purpose)
    extensions = models.IntegerField(default=0)
    pauses = models.IntegerField(default=0)
    paused_seconds = models.FloatField(default=0)
    taken_back_at = models.DateTimeField(null=True)  # the decision of the task was taken back

    class Meta:
        constraints = [models.UniqueConstraint(fields=["case", "began"], name="term_once")]
        indexes = [
            models.Index(fields=["kind", "ended_at"], name="term_ended"),
            models.Index(
                fields=["kind", "taken_back_at"],
                condition=models.Q(taken_back_at__isnull=False),
                name="term_taken_back",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sort} {self.name} of case {self.case_id}"


class PaperRejected(models.Model):
    """A paper that was rejected."""

    case = _case()
    kind = models.CharField(max_length=40)
    event = models.IntegerField()  # its number
    step = models.CharField(max_length=60)
    name = models.CharField(max_length=200)  # empty: the kind does not declare it
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "event"], name="paper_rejected_once")
        ]
        indexes = [models.Index(fields=["kind", "at"], name="paper_rejected_at")]

    def __str__(self) -> str:
        return f"{self.name} of case {self.case_id}"


class InsightPlace(models.Model):
    """Where in the feed the writer of these tables stands. One row; whoever writes locks it."""

    position = models.BigIntegerField(default=0)
    number = models.IntegerField(default=0)
