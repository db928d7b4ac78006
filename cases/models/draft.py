"""What somebody has typed into a form and not sent yet."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Draft(models.Model):
    """The fields of one form of one person, as they were when they were last kept."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    address = models.CharField(max_length=300)  # of the form's page, with its path alone
    data = models.JSONField(default=dict)  # field → text, or list of texts
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "address"], name="draft_once_per_form"),
        ]
        indexes = [models.Index(fields=["saved_at"], name="draft_saved_at")]

    def __str__(self) -> str:
        return self.address
