"""A recovery: money that was paid too much and is to come back."""

from __future__ import annotations

from decimal import Decimal

from django.core.validators import MinLengthValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from cases.fsm import transition
from cases.models import Case
from processes.letters import Correspondent


class Step(models.TextChoices):
    ASKED = "asked", _("Money asked back")
    DECISION = "decision", _("Decision how to go on")
    RECOVERED = "recovered", _("Recovered")
    WRITTEN_OFF = "written_off", _("Written off")
    DROPPED = "dropped", _("Dropped")


class Recovery(Case):
    """What is asked back of one paid claim. Amounts are in euro."""

    Step = Step
    kind_name = "recovery"
    closing_steps = (Step.RECOVERED, Step.WRITTEN_OFF, Step.DROPPED)

    of_claim = models.CharField(
        _("paid claim"), max_length=40, help_text=_("Its reference, such as CL-2026-000123.")
    )
    debtor_name = models.CharField(
        _("name of who was paid"), max_length=200, validators=[MinLengthValidator(1)]
    )
    email = models.EmailField(_("e-mail address"), blank=True, default="")
    amount = models.DecimalField(
        _("amount paid too much"),
        max_digits=12,
        decimal_places=2,
        validators=[MinValueValidator(Decimal("0.01"))],
    )
    reason = models.TextField(_("why it is asked back"), max_length=1000)
    received = models.DecimalField(
        _("came back so far"), max_digits=12, decimal_places=2, default=Decimal(0)
    )
    asked_times = models.PositiveSmallIntegerField(_("times asked"), default=1)

    class Meta:
        verbose_name = _("recovery")
        verbose_name_plural = _("recoveries")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(amount__gt=0) & models.Q(received__gte=0),
                name="recovery_of_something",
            )
        ]

    @property
    def correspondent(self) -> Correspondent:
        """Whom the letters go to."""
        return Correspondent(self.debtor_name, self.email)

    @property
    def left(self) -> Decimal:
        """What has not come back yet."""
        return max(self.amount - self.received, Decimal(0))

    @transition(source=Step.ASKED, target=Step.DECISION, label=_("Put to decision"))
    def put_to_decision(self, *, received: Decimal) -> None:
        self.received = received

    @transition(source=Step.DECISION, target=Step.ASKED, label=_("Ask once more"))
    def ask_again(self, *, received: Decimal) -> None:
        self.received = received
        self.asked_times += 1

    @transition(
        source=(Step.ASKED, Step.DECISION), target=Step.RECOVERED, label=_("Close as recovered")
    )
    def close_recovered(self, *, received: Decimal) -> None:
        self.received = received

    @transition(source=Step.DECISION, target=Step.WRITTEN_OFF, label=_("Write it off"))
    def write_off(self, *, received: Decimal, reason: str) -> None:
        self.received = received
        self.outcome_reason = reason

    @transition(
        source=(Step.ASKED, Step.DECISION),
        target=Step.DROPPED,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Drop the recovery"),
        confirm=_("Nothing is asked back any more. What came in stays booked."),
    )
    def withdraw(self, *, reason: str) -> None:
        self.outcome_reason = reason
