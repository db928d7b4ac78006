"""Each form is carried out once, however often it is sent."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Once(models.Model):
    """The first answer to a form, by the key that the form was rendered with."""

    key = models.UUIDField(primary_key=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64)  # of what was sent, so that another text is noticed
    answer = models.CharField(max_length=300)  # the address of the page that follows
    said = models.CharField(max_length=500, default="", blank=True)
    undo = models.CharField(max_length=300, default="", blank=True)  # where to undo the act
    results = models.JSONField(default=list)  # of an act on many: [[reference, sentence], …]
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["at"], name="once_at")]

    def __str__(self) -> str:
        return str(self.key)
