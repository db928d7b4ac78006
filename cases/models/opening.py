"""That somebody who may not read a restricted case by themselves opened it, for a purpose."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Opening(models.Model):
    """A restricted case, opened by one person for a time. Its reason is in the event alone."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="openings")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    number = models.IntegerField()  # the event that recorded it
    purpose = models.CharField(max_length=20)
    opened_at = models.DateTimeField()
    until = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "number"], name="opening_once"),
        ]
        indexes = [models.Index(fields=["person", "until"], name="opening_of_person")]

    def __str__(self) -> str:
        return f"case {self.case_id} opened by {self.person_id}"
