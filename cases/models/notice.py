"""What each person did with their notices: read, muted, had by mail."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class NoticeRead(models.Model):
    """A person has read a notice. Others of its role still have it before them."""

    notice = models.ForeignKey("cases.Notice", on_delete=models.CASCADE, related_name="reads")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    read_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["notice", "person"], name="notice_read_once"),
        ]

    def __str__(self) -> str:
        return f"notice {self.notice_id} read by {self.person_id}"


class MutedKind(models.Model):
    """A kind of notices that a person does not want."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="muted_kinds"
    )
    kind = models.CharField(max_length=20)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "kind"], name="notice_kind_muted_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}, muted by {self.person_id}"


class Digest(models.Model):
    """One mail with what one person should know. Written before it is sent, once for each person
    and day, so that of two who make it one sends it, and one that died is sent as it was."""

    class How(models.TextChoices):
        DAILY = "daily", _("Each day, when there is something")
        WEEKLY = "weekly", _("Each Monday, when there is something")
        NEVER = "never", _("Never")

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="digests"
    )
    day = models.DateField()  # of a week: its Monday
    until = models.DateTimeField()  # notices up to here are in it
    subject = models.CharField(max_length=200)
    text = models.TextField()
    claimed_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "day"], name="digest_once_a_day"),
        ]
        indexes = [
            models.Index(
                fields=["claimed_at"],
                condition=models.Q(sent_at__isnull=True),
                name="digest_unsent",
            ),
        ]

    def __str__(self) -> str:
        return f"digest of {self.day} for {self.person_id}"
