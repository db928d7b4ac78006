"""When people are away, and who stands in for them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Absence(models.Model):
    """A person is away on these days, the last one included; a substitute may stand in.

    Absences of one person do not overlap: the act that enters them looks under the person's lock.
    """

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="absences"
    )
    from_date = models.DateField()
    until_date = models.DateField()
    substitute = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reason = models.CharField(max_length=200, blank=True, default="")
    entered_at = models.DateTimeField()
    entered_by = models.CharField(max_length=80)  # an actor

    class Meta:
        ordering = ["from_date", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(until_date__gte=F("from_date")), name="absence_ends_after_it_begins"
            ),
            models.CheckConstraint(
                condition=Q(substitute__isnull=True) | ~Q(substitute=F("person")),
                name="absence_substitute_is_another",
            ),
        ]
        indexes = [
            models.Index(fields=["person", "until_date"], name="absence_of_person"),
            models.Index(fields=["substitute", "until_date"], name="absence_of_substitute"),
        ]

    def __str__(self) -> str:
        return f"{self.person}, {self.from_date} to {self.until_date}"
