"""What the engine keeps beside the history: obligations that are still open.

A row is there as long as something must still happen. What has happened is in the history, so
these tables stay small however old an installation grows.
"""

from __future__ import annotations

from django.db import models

from cases.fields import DataField


class Activity(models.Model):
    """Outside work that a case waits for, until its one result is recorded.

    `attempt` counts claims and fences: a result is taken only from the claim that holds the row.
    `failures` and `losses` are what is bounded: answers that were errors, and workers that died.
    """

    case_id = models.BigIntegerField()
    visit = models.IntegerField()
    command = models.IntegerField()  # negative: it compensates the command of that number
    name = models.CharField(max_length=120)
    arguments = DataField(default=dict)
    on_behalf = models.CharField(max_length=80, default="")
    lane = models.CharField(max_length=8)  # short: drained in batches; long: a process of its own
    state = models.CharField(max_length=8, default="due")  # due, stopped (an incident is open)
    due_at = models.DateTimeField()
    attempt = models.IntegerField(default=0)
    failures = models.IntegerField(default=0)
    losses = models.IntegerField(default=0)
    worker_id = models.BigIntegerField(null=True)
    lease_until = models.DateTimeField(null=True)
    published_at = models.DateTimeField(null=True)
    last_error = models.TextField(default="")
    progress = DataField(null=True)

    class Meta:
        verbose_name_plural = "activities"
        constraints = [
            models.UniqueConstraint(fields=["case_id", "visit", "command"], name="activity_once"),
        ]
        indexes = [
            models.Index(
                fields=["lane", "due_at"],
                condition=models.Q(worker_id__isnull=True, state="due"),
                name="activity_due",
            ),
            models.Index(
                fields=["worker_id"],
                condition=models.Q(worker_id__isnull=False),
                name="activity_claimed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.key})"

    @property
    def key(self) -> str:
        """The idempotency key: the same for every attempt."""
        return f"{self.case_id}.{self.visit}.{self.command}"


class Worker(models.Model):
    """A process that runs activities. It lives as long as its connection holds its session lock."""

    name = models.CharField(max_length=120)
    lane = models.CharField(max_length=8)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    is_idle = models.BooleanField(default=False)
    doing = models.CharField(max_length=200, default="")
    skew_ms = models.IntegerField(default=0)


class Incident(models.Model):
    """A case that cannot go on by itself."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="incidents")
    kind = models.CharField(max_length=20)  # activity, code, mismatch, message, wait
    cause = models.CharField(max_length=200)  # equal causes are one row on the operators' page
    title = models.CharField(max_length=200)
    expected = models.TextField(default="")
    came = models.TextField(default="")
    place = models.CharField(max_length=300, default="")  # file, line
    remedy = models.TextField(default="")
    detail = models.TextField(default="")
    visit = models.IntegerField()
    command = models.IntegerField(null=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    closed_by = models.CharField(max_length=80, default="")
    next_try_at = models.DateTimeField(null=True)  # the engine tries again by itself, more rarely
    tries = models.IntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case"],
                condition=models.Q(closed_at__isnull=True),
                name="incident_open_once",
            ),
        ]


class Source(models.Model):
    """The text of a step's code, by digest: the very lines that decided, years later."""

    digest = models.CharField(max_length=64, primary_key=True)
    kind = models.CharField(max_length=40)
    step = models.CharField(max_length=60)
    version = models.IntegerField()
    file = models.CharField(max_length=300)
    line = models.IntegerField()
    text = models.TextField()
    kept_at = models.DateTimeField()


class CodeRun(models.Model):
    """One piece of work over many cases about their steps' code, done by a worker in slices: a
    replay check, the preview of a move to another version, the move, or its undoing."""

    what = models.CharField(max_length=8)  # check, preview, move, undo
    kind = models.CharField(max_length=40, default="", blank=True)  # empty: every kind
    step = models.CharField(max_length=60, default="", blank=True)
    from_version = models.IntegerField(null=True)  # null: whatever version a case has
    to_version = models.IntegerField(null=True)
    undoes = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="undone")
    reason = models.TextField(default="", blank=True)
    actor = models.CharField(max_length=80)
    state = models.CharField(max_length=8, default="asked")  # asked, running, done, failed
    asked_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)  # a worker has it until then
    last_id = models.BigIntegerField(default=0)  # the case, or result to undo, that was done last
    total = models.IntegerField(default=0)  # cases there were when it was asked for
    report = DataField(default=dict)  # its counts so far
    error = models.TextField(default="", blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["asked_at"],
                condition=models.Q(ended_at__isnull=True),
                name="code_run_unfinished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.pk}"


class CodeResult(models.Model):
    """What a run says of one case. A check keeps only what is not fine."""

    run = models.ForeignKey(CodeRun, on_delete=models.CASCADE, related_name="results")
    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="+")
    step = models.CharField(max_length=60)
    version = models.IntegerField()  # that the case had
    visit = models.IntegerField()
    result = models.CharField(max_length=8)  # fits, differs, unknown; moved, already, stays, left
    sentence = models.TextField(default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "case"], name="code_result_once"),
        ]


# Django looks for models here.
from processes.insight.models import (  # noqa: E402
    CasePath,
    InsightPlace,
    PaperRejected,
    StepVisit,
    Term,
    VisitWait,
)
from processes.proof.models import CheckFinding, CheckRun  # noqa: E402
from processes.webhooks.models import Webhook, WebhookAttempt  # noqa: E402

__all__ = [
    "CasePath",
    "CheckFinding",
    "CheckRun",
    "InsightPlace",
    "PaperRejected",
    "StepVisit",
    "Term",
    "VisitWait",
    "Webhook",
    "WebhookAttempt",
]
