"""Checks over all cases, and what they found."""

from __future__ import annotations

from django.db import models


class CheckRun(models.Model):
    """One check of all histories: by a command, or by a worker in slices that go on where the last
    one ended."""

    how = models.CharField(max_length=8)  # all; since: what moved since a clean one; heads
    rows = models.BooleanField(default=True)  # compared with history too
    actor = models.CharField(max_length=80)
    state = models.CharField(max_length=8, default="asked")  # asked, running, done, failed
    asked_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)  # a worker has it until then
    stage = models.CharField(max_length=8, default="anchors")  # anchors, cases
    last_id = models.BigIntegerField(default=0)  # the case that was looked at last
    total = models.IntegerField(default=0)  # cases there were when it was asked for
    since = models.BigIntegerField(default=0)  # position of the feed that a clean run had reached
    position = models.BigIntegerField(default=0)  # of the feed, up to which this one looks
    cases = models.BigIntegerField(default=0)
    events = models.BigIntegerField(default=0)
    anchors = models.IntegerField(default=0)
    found = models.IntegerField(default=0)
    left = models.JSONField(default=list)  # what was not looked at, in sentences
    error = models.TextField(default="", blank=True)

    class Meta:
        db_table = "processes_checkrun"
        indexes = [
            models.Index(
                fields=["asked_at"],
                condition=models.Q(ended_at__isnull=True),
                name="check_run_unfinished",
            ),
        ]

    def __str__(self) -> str:
        return f"check {self.pk}"

    @property
    def is_clean(self) -> bool:
        return self.state == "done" and not self.found


class CheckFinding(models.Model):
    """One thing that a check found."""

    run = models.ForeignKey(CheckRun, on_delete=models.CASCADE, related_name="findings")
    reference = models.CharField(max_length=60)
    number = models.IntegerField()  # of the event; 0 where it is about none
    words = models.TextField()

    class Meta:
        db_table = "processes_checkfinding"
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.reference}/{self.number}"
