"""The case: one customer matter, whatever its kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django_fsm import FSMField

from cases.fields import DataField


class Case(models.Model):
    """One customer matter. Kinds are subclasses whose own fields are the facts of the case.

    Every row equals the fold of the case's events. Only the engine writes it, under the row's
    lock; `head_number` and `head_hash` are the end of its chain of events.
    """

    kind_name = ""  # a kind's word in references and code, such as "loan"
    closing_steps: tuple[Any, ...] = ()

    reference = models.CharField(max_length=40, unique=True)
    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=200)
    step = FSMField(max_length=60, protected=True)
    visit = models.IntegerField(default=0)  # how often a step was entered, counted over the case
    step_version = models.IntegerField(default=1)
    code_digest = models.CharField(max_length=64, default="", blank=True)
    entered_number = models.IntegerField(default=0)  # event of the checkpoint of this visit
    entered_at = models.DateTimeField(null=True)
    head_number = models.IntegerField(default=0)
    head_hash = models.BinaryField(default=bytes(32))

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    team = models.ForeignKey("cases.Team", on_delete=models.PROTECT, null=True, blank=True)
    restricted = models.BooleanField(default=False)

    waits = DataField(default=list)  # what the case waits for; see cases/waits.py
    waiting_on = models.CharField(max_length=80, default="", blank=True)
    waiting_since = models.DateTimeField(null=True)
    waiting_until = models.DateTimeField(null=True)

    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    stopped_at = models.DateTimeField(null=True)  # an incident keeps it from going on
    outcome = models.CharField(max_length=60, default="", blank=True)
    outcome_reason = models.TextField(default="", blank=True)
    erased_at = models.DateTimeField(null=True)  # its people can no longer be read of here

    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children")
    parent_visit = models.IntegerField(null=True)
    parent_command = models.IntegerField(null=True)
    source = models.CharField(max_length=80, default="", blank=True)
    source_key = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["source", "source_key"],
                condition=~models.Q(source_key=""),
                name="case_once_per_source_key",
            ),
            models.CheckConstraint(
                condition=models.Q(closed_at__isnull=True) | models.Q(waits="[]"),
                name="closed_case_waits_for_nothing",
            ),
        ]
        indexes = [
            models.Index(
                fields=["owner", "waiting_until"],
                condition=models.Q(closed_at__isnull=True),
                name="case_open_by_owner",
            ),
            models.Index(
                fields=["team", "waiting_until"],
                condition=models.Q(closed_at__isnull=True),
                name="case_open_by_team",
            ),
            models.Index(
                fields=["team", "waiting_until"],
                condition=models.Q(closed_at__isnull=True, owner__isnull=True),
                name="case_open_of_nobody",
            ),
            models.Index(
                fields=["waiting_until", "id"],
                condition=models.Q(closed_at__isnull=True),
                name="case_open_by_due",
            ),
            models.Index(
                "team",
                models.F("closed_at").desc(),
                models.F("id").desc(),
                condition=models.Q(closed_at__isnull=False),
                name="case_closed_by_team",
            ),
            models.Index(
                models.F("closed_at").desc(),
                models.F("id").desc(),
                condition=models.Q(closed_at__isnull=False),
                name="case_closed_last",
            ),
            models.Index(
                fields=["stopped_at"],
                condition=models.Q(stopped_at__isnull=False),
                name="case_stopped",
            ),
            models.Index(
                fields=["kind", "closed_at"],
                condition=models.Q(closed_at__isnull=False, erased_at__isnull=True),
                name="case_closed",
            ),
            models.Index(
                fields=["parent"],
                condition=models.Q(parent__isnull=False),
                name="case_parent",
            ),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def case_id(self) -> int:
        """The id of the case, under the name by which its events know it."""
        return self.pk

    @property
    def is_open(self) -> bool:
        return self.closed_at is None

    def get_absolute_url(self) -> str:
        return reverse("case", args=[self.reference])

    @classmethod
    def fact_fields(cls) -> list[models.Field[Any, Any]]:
        """The facts of this kind: the fields that the subclass adds."""
        return [f for f in cls._meta.local_concrete_fields if not f.primary_key]

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: models.QuerySet[Any] | None = None,
    ) -> None:
        """Load the row again.

        django-fsm's own refresh lifts the protection of the class's field for a moment, which
        other threads can see; forgetting the step first needs no such thing.
        """
        if fields is None or "step" in fields:
            self.__dict__.pop("step", None)
        models.Model.refresh_from_db(self, using=using, fields=fields, from_queryset=from_queryset)
