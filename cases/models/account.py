"""Who changed what about people and teams. Only ever added to; the database refuses the rest."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from cases.fields import DataField


class AccountChange(models.Model):
    """One change of a person's account, of a team, or of an absence."""

    at = models.DateTimeField()
    by = models.CharField(max_length=80)  # an actor
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="changes"
    )
    team = models.ForeignKey(
        "cases.Team", on_delete=models.PROTECT, null=True, related_name="changes"
    )
    what = models.CharField(max_length=40)  # such as "absence.entered" or "roles.changed"
    data = DataField(default=dict)  # before and after, by name
    why = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.what} of {self.person or self.team}"
