"""Human work on a case."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext as _

from cases.fields import DataField


class Task(models.Model):
    """A piece of human work. A review is a task that ends in an outcome with reasons.

    Its key in history is (case, visit, command), or (case, 0, -number) for work that staff added,
    such as a request for advice.
    """

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="tasks")
    visit = models.IntegerField()
    command = models.IntegerField()
    name = models.CharField(max_length=80)  # "underwriting"
    title = models.CharField(max_length=200)  # "Underwriting review"
    is_review = models.BooleanField(default=True)
    role = models.CharField(max_length=80)
    team = models.ForeignKey("cases.Team", on_delete=models.PROTECT, null=True)
    outcomes = DataField(default=list)  # [[value, label, needs_reason], …]
    asks = DataField(default=list)  # extra fields the form asks: [[name, label, kind], …]
    show = DataField(default=dict)  # what the person needs to see beside the form
    unlike = DataField(default=list)  # actors that may not do this task (four eyes)
    holder = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="held_tasks"
    )
    claimed_at = models.DateTimeField(null=True)
    opened_at = models.DateTimeField()
    opened_number = models.IntegerField()  # the event that opened it
    due_at = models.DateTimeField(null=True)
    overdue_at = models.DateTimeField(null=True)  # when the supervisor was told
    state = models.CharField(max_length=12, default="open")  # open, done, cancelled, taken_back
    closed_at = models.DateTimeField(null=True)
    closed_by = models.CharField(max_length=80, default="")  # an actor
    outcome = models.CharField(max_length=80, default="")
    reason = models.TextField(default="")
    result = DataField(default=dict)
    advises = models.ForeignKey(  # the task that this one is a request for advice on
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="advice"
    )
    covers_number = models.IntegerField(null=True)  # the last event that the decision covers

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "visit", "command"], name="task_once"),
        ]
        indexes = [
            models.Index(
                fields=["role", "due_at"], condition=models.Q(state="open"), name="task_open_role"
            ),
            models.Index(
                fields=["holder", "due_at"],
                condition=models.Q(state="open"),
                name="task_open_holder",
            ),
            models.Index(
                fields=["case"],
                include=["role", "holder"],
                condition=models.Q(state="open"),
                name="task_open_case",
            ),
            models.Index(
                fields=["role", "due_at", "id"],
                condition=models.Q(state="open", holder__isnull=True),
                name="task_offered",
            ),
            models.Index(
                fields=["closed_by", "closed_at"],
                condition=~models.Q(closed_by=""),
                name="task_closed_by",
            ),
        ]

    def __str__(self) -> str:
        told = {"task": _(self.title), "case": self.case.reference}
        return _("%(task)s of %(case)s") % told

    @property
    def is_open(self) -> bool:
        return self.state == "open"

    def get_absolute_url(self) -> str:
        return reverse("task", args=[self.pk])
