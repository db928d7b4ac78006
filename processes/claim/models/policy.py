"""An insurance policy: the parent of the claims for damage that it covers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.core.validators import MinLengthValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from cases.fsm import transition
from cases.models import Case
from processes.letters import Correspondent

_MONEY: dict[str, Any] = {
    "max_digits": 12,
    "decimal_places": 2,
    "validators": [MinValueValidator(Decimal(0))],
}


class Step(models.TextChoices):
    ACTIVE = "active", _("In force")
    RUN_OFF = "run_off", _("Ended, claims may come")
    ENDED = "ended", _("Ended")
    CANCELLED = "cancelled", _("Cancelled")


class Policy(Case):
    """An insurance policy of one holder. Amounts are in euro."""

    Step = Step
    kind_name = "policy"
    closing_steps = (Step.ENDED, Step.CANCELLED)

    holder_name = models.CharField(
        _("name of the holder"), max_length=200, validators=[MinLengthValidator(1)]
    )
    email = models.EmailField(_("e-mail address"), blank=True, default="")
    covers = models.CharField(_("what it covers"), max_length=200, blank=True, default="")
    cover_limit = models.DecimalField(_("covers at most"), **_MONEY)
    own_risk = models.DecimalField(_("own risk a claim"), **_MONEY, default=Decimal(0))
    starts_date = models.DateField(_("first day"))
    ends_date = models.DateField(_("last day"))

    class Meta:
        verbose_name = _("policy")
        verbose_name_plural = _("policies")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(ends_date__gte=models.F("starts_date")),
                name="policy_ends_after_it_begins",
            )
        ]

    @property
    def correspondent(self) -> Correspondent:
        """Whom the letters go to."""
        return Correspondent(self.holder_name, self.email)

    @transition(source=Step.ACTIVE, target=Step.RUN_OFF, label=_("End the cover"))
    def end_cover(self) -> None:
        pass

    @transition(source=Step.RUN_OFF, target=Step.ENDED, label=_("Close"))
    def close(self) -> None:
        pass

    @transition(
        source=(Step.ACTIVE, Step.RUN_OFF),
        target=Step.CANCELLED,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Cancel the policy"),
        confirm=_("The policy ends at once. Claims that come afterwards are flagged."),
    )
    def withdraw(self, *, reason: str) -> None:
        self.outcome_reason = reason
