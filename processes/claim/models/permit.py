"""A travel permit: the parent of the claims of a trip."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from cases.fsm import transition
from cases.models import Case
from processes.claim.models.chain import CHAIN, UnderApproval


class Step(models.TextChoices):
    RECEIVED = "received", _("Received")
    ADMINISTRATION = "administration", _("Administration")
    PRE_APPROVAL = "pre_approval", _("Pre-approval")
    BUDGET = "budget", _("Budget owner")
    SUPERVISION = "supervision", _("Supervisor")
    DIRECTION = "direction", _("Director")
    RETURNED = "returned", _("Returned")
    TAKEN_BACK = "taken_back", _("Taken back")
    PLANNED = "planned", _("Approved, trip ahead")
    TRAVELLING = "travelling", _("Travelling")
    CLAIMING = "claiming", _("Claims to come")
    WITHDRAWING = "withdrawing", _("Being withdrawn")
    SETTLED = "settled", _("Settled")
    UNUSED = "unused", _("No claim came")
    REJECTED = "rejected", _("Rejected")
    WITHDRAWN = "withdrawn", _("Withdrawn")


APPROVED = (Step.PLANNED, Step.TRAVELLING, Step.CLAIMING, Step.SETTLED, Step.UNUSED)


class TravelPermit(UnderApproval, Case):
    """A permit for one trip. `amount` is the budget that is asked for, in euro."""

    Step = Step
    kind_name = "travel_permit"
    closing_steps = (Step.SETTLED, Step.UNUSED, Step.REJECTED, Step.WITHDRAWN)

    destination = models.CharField(_("destination"), max_length=200, blank=True, default="")
    purpose = models.TextField(_("purpose"), blank=True, default="", max_length=1000)
    trip_start = models.DateField(_("first day of the trip"))
    trip_end = models.DateField(_("last day of the trip"))
    reminders_from = models.DateField(
        _("no reminder before"),
        null=True,
        blank=True,
        help_text=_("Empty: the first one comes a month after the trip."),
    )

    class Meta:
        verbose_name = _("travel permit")
        verbose_name_plural = _("travel permits")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(trip_end__gte=models.F("trip_start")),
                name="permit_trip_ends_after_it_begins",
            )
        ]

    @transition(source=(Step.SUPERVISION, Step.DIRECTION), target=Step.PLANNED, label=_("Approve"))
    def approve(self, *, by: str) -> None:
        self._on(by, None)

    @transition(source=Step.PLANNED, target=Step.TRAVELLING, label=_("Begin the trip"))
    def begin_trip(self) -> None:
        pass

    @transition(source=Step.TRAVELLING, target=Step.CLAIMING, label=_("End the trip"))
    def end_trip(self) -> None:
        pass

    @transition(
        source=(Step.PLANNED, Step.TRAVELLING, Step.CLAIMING),
        target=Step.RETURNED,
        label=_("Return after approval"),
    )
    def return_after_approval(self, *, by: str, reason: str) -> None:
        """The bookkeeper's system cannot take it as it is."""
        self.returned_by = by
        self.return_reason = reason

    @transition(source=Step.CLAIMING, target=Step.SETTLED, label=_("Close as settled"))
    def settle(self) -> None:
        pass

    @transition(source=Step.CLAIMING, target=Step.UNUSED, label=_("Close: no claim came"))
    def close_unused(self, *, reason: str) -> None:
        self.outcome_reason = reason

    @transition(
        source=(
            Step.RECEIVED,
            *CHAIN,
            Step.RETURNED,
            Step.TAKEN_BACK,
            Step.PLANNED,
            Step.TRAVELLING,
            Step.CLAIMING,
        ),
        target=Step.WITHDRAWING,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Withdraw the permit"),
        confirm=_("The permit ends. Claims that come for the trip are flagged from then on."),
    )
    def withdraw(self, *, reason: str) -> None:
        self.outcome_reason = reason
