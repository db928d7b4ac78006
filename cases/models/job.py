"""Many cases opened from one file: the job, and what became of each row."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from cases.fields import DataField


class Job(models.Model):
    """A file of cases to be opened, by a program or a person. Its number stands in the first event
    of each case. A row that was done stays done, however often a run goes on."""

    client = models.ForeignKey(
        "cases.Client", on_delete=models.PROTECT, null=True, related_name="+"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    token = models.ForeignKey("cases.Token", on_delete=models.SET_NULL, null=True, related_name="+")
    scopes = DataField(
        null=True
    )  # that the token is cut down to; null: it is not, or there is none
    on_behalf = models.CharField(max_length=80, default="", blank=True)
    kind = models.CharField(max_length=40, default="", blank=True)  # of rows that name none
    filename = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)  # SHA-256 of the file, hex
    size = models.IntegerField()  # rows
    made_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    cancelled_by = models.CharField(max_length=80, default="", blank=True)  # an actor
    lease_until = models.DateTimeField(null=True)  # somebody carries it on until then

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(client__isnull=True) ^ models.Q(person__isnull=True),
                name="job_of_a_client_or_a_person",
            ),
        ]
        indexes = [
            models.Index(
                fields=["made_at"],
                condition=models.Q(ended_at__isnull=True),
                name="job_under_way",
            ),
            models.Index(fields=["digest"], name="job_of_a_file"),
        ]

    def __str__(self) -> str:
        return f"{self.filename} ({self.pk})"

    def get_absolute_url(self) -> str:
        return reverse("job", args=[self.pk])

    @property
    def state(self) -> str:
        """waiting, running, done or cancelled."""
        if self.cancelled_by:
            return "cancelled"
        if self.ended_at is not None:
            return "done"
        return "running" if self.begun_at is not None else "waiting"


class JobRow(models.Model):
    """One row of a file. What it says is kept until it has its result."""

    class State(models.TextChoices):
        WAITING = "waiting"
        OPENED = "opened"
        KNOWN = "known"  # its external reference opened a case before
        REFUSED = "refused"
        CANCELLED = "cancelled"

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="rows")
    place = models.IntegerField()
    line = models.IntegerField()  # of the file, where it begins
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    external_reference = models.CharField(max_length=200, default="", blank=True)
    data = DataField(default=dict)
    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, null=True, related_name="+")
    refusal = DataField(default=dict)  # types (the nearest first), detail, errors

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "place"], name="job_row_once")]
        indexes = [models.Index(fields=["job", "state", "place"], name="job_row_state")]

    def __str__(self) -> str:
        return f"row {self.place} of job {self.job_id}"
