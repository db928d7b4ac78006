"""The inbox: whatever comes from outside is stored first, then matched to its case."""

from __future__ import annotations

from django.db import models

from cases.fields import DataField


class Message(models.Model):
    """Something from outside that is meant for a case.

    States: *new* (stored, not yet looked at), *kept* (its case does not wait for it yet), *used*,
    *late* (its case was closed), *unmatched* (no such case; a person links it), *closed* (a person
    answered it, or said that it is not ours).
    """

    source = models.CharField(max_length=80)
    key = models.CharField(max_length=200)  # unique within its source: makes it safe to send twice
    name = models.CharField(max_length=80)
    to = models.CharField(max_length=200)  # reference of the case, or "id:17"
    data = DataField(default=dict)
    digest = models.CharField(
        max_length=64
    )  # of name, address and data: the same key, another text
    actor = models.CharField(max_length=80)
    on_behalf = models.CharField(max_length=80, default="")
    state = models.CharField(max_length=12, default="new")
    case_id = models.BigIntegerField(null=True)
    why = models.TextField(default="")  # why it is late or unmatched
    received_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    settled_by = models.CharField(
        max_length=80, default="", db_default="", blank=True
    )  # who closed it by hand
    settled_why = models.TextField(default="", db_default="", blank=True)
    answer = models.ForeignKey("cases.Letter", on_delete=models.PROTECT, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "key"], name="message_once"),
        ]
        indexes = [
            models.Index(fields=["id"], condition=models.Q(state="new"), name="message_new"),
            models.Index(
                fields=["case_id", "name"],
                condition=models.Q(state="kept"),
                name="message_kept",
            ),
            models.Index(
                fields=["state", "received_at"],
                condition=models.Q(state__in=["late", "unmatched"]),
                name="message_tray",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} from {self.source} ({self.key})"
