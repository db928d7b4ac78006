"""One act on many cases: what was chosen, what was asked, and what became of each row."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from cases.fields import DataField


class BulkAct(models.Model):
    """What a person chose on a list, to do one thing with all of it. Its number stands in the
    events that it brings about. A row that was done stays done, however often a run goes on."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    what = models.CharField(max_length=12)  # hand-over, remind, take
    back = models.CharField(max_length=1000, default="/work/")  # the list that it was chosen from
    left_out = models.IntegerField(default=0)  # chosen past the most that one act takes
    asked = DataField(default=dict)  # to whom, why, on which day
    chosen_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)  # somebody carries it on until then

    class Meta:
        indexes = [
            models.Index(
                fields=["begun_at"],
                condition=models.Q(begun_at__isnull=False, ended_at__isnull=True),
                name="bulk_act_under_way",
            ),
            models.Index(
                fields=["chosen_at"],
                condition=models.Q(begun_at__isnull=True),
                name="bulk_act_not_begun",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.pk}"

    def get_absolute_url(self) -> str:
        if "plan" in self.asked and "team" in self.asked:  # each row to somebody of its own
            return reverse("spread", args=[self.asked["team"], self.pk])
        return reverse("chosen", args=[self.pk])


class BulkRow(models.Model):
    """One row of a list that was chosen: a case, or a task of one."""

    act = models.ForeignKey(BulkAct, on_delete=models.CASCADE, related_name="rows")
    place = models.IntegerField()
    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, null=True, related_name="+")
    task = models.ForeignKey("cases.Task", on_delete=models.PROTECT, null=True, related_name="+")
    seen_number = models.IntegerField(default=0)  # the last event that the reader could know of
    result = models.CharField(max_length=8, default="", blank=True)  # done, already, refused
    sentence = models.TextField(default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["act", "place"], name="bulk_row_once"),
        ]

    def __str__(self) -> str:
        return f"row {self.place} of {self.act_id}"
