"""A fraud look: the sub-case in which an examiner looks at a claim."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from cases.fsm import transition
from cases.models import Case


class Step(models.TextChoices):
    LOOKING = "looking", _("Being looked at")
    CLEARED = "cleared", _("Cleared")
    CONFIRMED = "confirmed", _("Fraud")
    DROPPED = "dropped", _("No longer needed")


class FraudLook(Case):
    """One look at one claim. Its amounts are those of the claim when it was opened, in euro."""

    Step = Step
    kind_name = "fraud_look"
    closing_steps = (Step.CLEARED, Step.CONFIRMED, Step.DROPPED)

    of_claim = models.CharField(_("claim"), max_length=40)
    claimant_name = models.CharField(_("name of the claimant"), max_length=200)
    claimant = models.CharField(_("the claimant here"), max_length=80, blank=True, default="")
    amount = models.DecimalField(_("amount"), max_digits=12, decimal_places=2)
    suspicion = models.TextField(_("why it is looked at"), max_length=1000)
    finding = models.TextField(_("what was found"), blank=True, default="")

    class Meta:
        verbose_name = _("fraud look")
        verbose_name_plural = _("fraud looks")

    @transition(source=Step.LOOKING, target=Step.CLEARED, label=_("Clear the claim"))
    def clear(self, *, finding: str) -> None:
        self.finding = finding

    @transition(source=Step.LOOKING, target=Step.CONFIRMED, label=_("Confirm the fraud"))
    def confirm(self, *, finding: str) -> None:
        self.finding = finding

    @transition(
        source=Step.LOOKING,
        target=Step.DROPPED,
        staff=True,
        role="fraud examiner",
        asks=["reason"],
        label=_("Drop the look"),
        confirm=_("The look ends without a finding, and the claim goes on as if it were cleared."),
    )
    def withdraw(self, *, reason: str) -> None:
        self.outcome_reason = reason
