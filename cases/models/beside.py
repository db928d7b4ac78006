"""What stands beside a case: other cases it is related to, and who looks at it right now."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Relation(models.Model):
    """That staff related a case to another one, by hand and with a reason. One row a direction."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="relations")
    other = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    number = models.IntegerField()  # the event of `case` that recorded it
    related_at = models.DateTimeField()
    related_by = models.CharField(max_length=80)  # an actor

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "other"], name="relation_once"),
            models.CheckConstraint(
                condition=~models.Q(case=models.F("other")), name="relation_to_another"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case_id} → {self.other_id}"


class Presence(models.Model):
    """That somebody has a form open. It warns others and locks nothing; it runs out by itself."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    address = models.CharField(max_length=300)
    since = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "address"], name="presence_once"),
        ]
        indexes = [
            models.Index(fields=["address", "seen_at"], name="presence_address"),
            models.Index(fields=["seen_at"], name="presence_seen"),
        ]

    def __str__(self) -> str:
        return self.address
