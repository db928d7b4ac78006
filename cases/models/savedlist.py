"""A list that a person keeps under a name."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower


class SavedList(models.Model):
    """A filter with its order, of my work or of the cases. It holds no rows and no rights: what
    it shows is found when it is opened, for whoever opens it."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    team = models.ForeignKey("cases.Team", on_delete=models.PROTECT, null=True)  # shared with it
    name = models.CharField(max_length=60)
    page = models.CharField(max_length=8)  # work, cases
    query = models.CharField(max_length=1000, default="", blank=True)
    saved_at = models.DateTimeField()

    class Meta:
        ordering = [Lower("name"), "pk"]
        constraints = [
            models.UniqueConstraint("owner", Lower("name"), name="saved_list_name_once"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def address(self) -> str:
        return f"/{self.page}/?{self.query}" if self.query else f"/{self.page}/"
