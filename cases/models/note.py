"""Words on a case among staff: notes, and notices of what somebody should know."""

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
    strikes = models.OneToOneField(  # the note that this one corrects, which stays readable
        "self", on_delete=models.PROTECT, null=True, related_name="struck_by"
    )


class Notice(models.Model):
    """Something a role or a person should know of, such as an overdue review."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="notices")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True)
    role = models.CharField(max_length=80, default="")
    kind = models.CharField(max_length=20, default="other")  # see cases/noticeboard.py
    cause = models.CharField(max_length=80, default="", blank=True)  # the clock that it is about
    text = models.CharField(max_length=300)
    written_at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["role"], condition=models.Q(seen_at__isnull=True), name="notice_unseen"
            ),
        ]
