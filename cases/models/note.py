"""Words on a case: notes of staff, letters to parties, notices to staff."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Note(models.Model):
    """A remark of a member of staff, kept with the case."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="notes")
    number = models.IntegerField()  # the event that recorded it
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    text = models.TextField()
    written_at = models.DateTimeField()


class Letter(models.Model):
    """A letter to a party: written once per key, kept with the case, and sent by mail."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="letters")
    key = models.CharField(max_length=120, unique=True)  # of the activity that wrote it
    template = models.CharField(max_length=80)
    to_name = models.CharField(max_length=200)
    to_email = models.EmailField(blank=True, default="")
    subject = models.CharField(max_length=200)
    text = models.TextField()
    written_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.subject


class Notice(models.Model):
    """Something a role or a person should know of, such as an overdue review."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="notices")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True)
    role = models.CharField(max_length=80, default="")
    text = models.CharField(max_length=300)
    written_at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["role"], condition=models.Q(seen_at__isnull=True), name="notice_unseen"
            ),
        ]
