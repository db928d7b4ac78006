"""What a person wants to be reminded of."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Reminder(models.Model):
    """A person's wish to be told of a case on a day: there until it comes, is cancelled, or the
    case closes. Its timer has the same number."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="reminders")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    number = models.IntegerField()  # the event that set it
    due_at = models.DateTimeField()
    text = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "person"], name="reminder_once_per_person"),
        ]

    def __str__(self) -> str:
        return f"reminder {self.number} of case {self.case_id}"
