"""A claim: its facts, and the edges of its graph."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from cases.fsm import transition
from cases.models import Case
from processes.claim.models.chain import CHAIN, UnderApproval

_MONEY: dict[str, Any] = {"max_digits": 12, "decimal_places": 2}


class Step(models.TextChoices):
    RECEIVED = "received", _("Received")
    DRAFT = "draft", _("Draft")
    FRAUD_LOOK = "fraud_look", _("Fraud look")
    ADMINISTRATION = "administration", _("Administration")
    PRE_APPROVAL = "pre_approval", _("Pre-approval")
    BUDGET = "budget", _("Budget owner")
    SUPERVISION = "supervision", _("Supervisor")
    DIRECTION = "direction", _("Director")
    RETURNED = "returned", _("Returned")
    TAKEN_BACK = "taken_back", _("Taken back")
    APPROVED = "approved", _("Approved")
    PAYMENT_REQUESTED = "payment_requested", _("Payment requested")
    PAYING = "paying", _("Being paid")
    PART_PAID = "part_paid", _("Paid in part")
    WITHDRAWING = "withdrawing", _("Being withdrawn")
    PAID = "paid", _("Paid")
    REJECTED = "rejected", _("Rejected")
    WITHDRAWN = "withdrawn", _("Withdrawn")
    LAPSED = "lapsed", _("Never submitted")


# Until the bank is asked. From then on the money may be on its way, and taking it back is a
# recovery.
WITHDRAWABLE = (
    Step.RECEIVED,
    Step.DRAFT,
    Step.FRAUD_LOOK,
    *CHAIN,
    Step.RETURNED,
    Step.TAKEN_BACK,
    Step.APPROVED,
    Step.PAYMENT_REQUESTED,
)


class Claim(UnderApproval, Case):
    """An expense or insurance claim, from its draft to its payment. Amounts are in euro."""

    Step = Step
    kind_name = "claim"
    closing_steps = (Step.PAID, Step.REJECTED, Step.WITHDRAWN, Step.LAPSED)

    # What the applicant says
    claim_type = models.CharField(
        _("type of claim"),
        max_length=20,
        choices=[("expense", _("expenses")), ("insurance", _("insured damage"))],
        default="expense",
    )
    description = models.TextField(_("what for"), blank=True, default="", max_length=1000)
    incurred_date = models.DateField(_("day of the expense or damage"), null=True, blank=True)
    account = models.CharField(_("account for the payment"), max_length=34, blank=True, default="")
    belongs_to = models.CharField(
        _("travel permit or policy"),
        max_length=40,
        blank=True,
        default="",
        help_text=_("Its reference, such as TP-2026-000123."),
    )
    needs_permit = models.BooleanField(_("needs a travel permit"), default=False)
    is_draft = models.BooleanField(_("a draft, not submitted yet"), default=False)

    # What the process finds
    release = models.CharField(
        _("who lets it be paid"),
        max_length=20,
        choices=[("batch", _("the daily batch")), ("bookkeeper", _("the bookkeeper"))],
        default="batch",
    )
    looked_at = models.BooleanField(_("looked at for fraud in this round"), default=False)
    suspicion = models.TextField(_("why it is looked at"), blank=True, default="")
    own_risk = models.DecimalField(_("own risk"), **_MONEY, default=Decimal(0))
    reserve = models.DecimalField(
        _("reserve"), **_MONEY, default=Decimal(0), validators=[MinValueValidator(Decimal(0))]
    )
    approved_amount = models.DecimalField(
        _("approved for payment"), **_MONEY, null=True, blank=True
    )
    more_follows = models.BooleanField(_("a part; more may follow"), default=False)
    paid_total = models.DecimalField(_("paid so far"), **_MONEY, default=Decimal(0))
    bookings = models.CharField(
        _("references of the payments"), max_length=400, blank=True, default=""
    )

    class Meta:
        verbose_name = _("claim")
        verbose_name_plural = _("claims")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(amount__gt=0) | models.Q(is_draft=True),
                name="claim_of_something",
            ),
            models.CheckConstraint(
                condition=models.Q(reserve__gte=0) & models.Q(paid_total__gte=0),
                name="claim_reserve_and_payments",
            ),
            models.CheckConstraint(
                condition=models.Q(approved_amount__isnull=True)
                | models.Q(approved_amount__lte=models.F("amount")),
                name="claim_pays_at_most_what_is_asked",
            ),
        ]

    @property
    def asked_now(self) -> Decimal:
        """What is asked for in this round: all that was not paid before."""
        return self.amount - self.paid_total

    def _end_without_payment(self) -> None:
        self.reserve = Decimal(0)

    # -- before the chain

    @transition(source=Step.RECEIVED, target=Step.DRAFT, label=_("Keep as a draft"))
    def keep_as_draft(self) -> None:
        pass

    @transition(source=Step.DRAFT, target=Step.RECEIVED, label=_("Submit"))
    def submit(self, *, changes: dict[str, Any]) -> None:
        for name, value in changes.items():
            setattr(self, name, value)
        self.is_draft = False

    @transition(source=Step.RECEIVED, target=Step.FRAUD_LOOK, label=_("Have it looked at"))
    def look_first(self, *, suspicion: str, flags: str) -> None:
        self.suspicion = suspicion
        self.flags = flags

    @transition(
        source=CHAIN,
        target=Step.FRAUD_LOOK,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Ask for a fraud look"),
        confirm=_("Nobody approves it meanwhile. When it is cleared, all approve anew."),
    )
    def ask_fraud_look(self, *, reason: str) -> None:
        """Somebody has doubts: a fraud examiner looks before anyone goes on."""
        self.suspicion = reason
        self.approved_by = ""

    @transition(source=Step.FRAUD_LOOK, target=Step.RECEIVED, label=_("Go on: cleared"))
    def go_on_cleared(self) -> None:
        self.looked_at = True

    @transition(source=Step.FRAUD_LOOK, target=Step.REJECTED, label=_("Reject: fraud"))
    def reject_as_fraud(self, *, reason: str) -> None:
        self.outcome = "fraud"
        self.outcome_reason = reason
        self.reserve = Decimal(0)

    # -- payment

    @transition(
        source=(Step.SUPERVISION, Step.DIRECTION),
        target=Step.APPROVED,
        label=_("Approve for payment"),
    )
    def approve(self, *, by: str, amount: Decimal, more_follows: bool = False) -> None:
        """The last word. What is paid from here on is `amount`, whatever is corrected later."""
        self._on(by, None)
        self.approved_amount = amount
        self.more_follows = more_follows

    @transition(source=Step.APPROVED, target=Step.PAYMENT_REQUESTED, label=_("Request the payment"))
    def request_payment(self) -> None:
        pass

    @transition(
        source=Step.PAYMENT_REQUESTED, target=Step.PAYING, label=_("Pay in the payment run")
    )
    def begin_paying(self) -> None:
        pass

    @transition(
        source=(Step.APPROVED, Step.PAYMENT_REQUESTED, Step.PAYING),
        target=Step.RETURNED,
        label=_("Return after approval"),
    )
    def return_after_approval(self, *, by: str, reason: str) -> None:
        """The bookkeeper's system, or the bank, cannot take it as it is."""
        self.returned_by = by
        self.return_reason = reason
        self.approved_amount = None

    @transition(source=Step.PAYING, target=Step.PART_PAID, label=_("Keep open for the rest"))
    def keep_open(self, *, paid: Decimal, booking: str, reserve: Decimal) -> None:
        self._book(paid, booking, reserve)

    @transition(source=Step.PAYING, target=Step.PAID, label=_("Close as paid"))
    def close_paid(self, *, paid: Decimal, booking: str) -> None:
        self._book(paid, booking, Decimal(0))

    def _book(self, paid: Decimal, booking: str, reserve: Decimal) -> None:
        self.paid_total += paid
        self.bookings = f"{self.bookings} {booking}".strip()[:400]
        self.reserve = reserve
        self.approved_amount = None

    @transition(source=Step.PART_PAID, target=Step.RECEIVED, label=_("Take up the rest"))
    def claim_rest(self, *, amount: Decimal, description: str) -> None:
        """A further part is asked for. It goes through the chain as the first one did."""
        self.amount = amount
        self.description = description or self.description
        self.approved_by = ""
        self.looked_at = False

    @transition(
        source=Step.PART_PAID,
        target=Step.PAID,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Close: nothing more follows"),
        confirm=_("The claim ends with what was paid, and its reserve is released."),
    )
    def close_rest(self, *, reason: str) -> None:
        self.outcome_reason = reason
        self.reserve = Decimal(0)

    # -- open again

    @transition(
        source=(Step.REJECTED, Step.WITHDRAWN),
        target=Step.RECEIVED,
        reopens=True,
        asks=["reason"],
        label=_("Reopen the claim"),
        confirm=_("Everybody approves it anew. The claimant gets a letter with your reason."),
    )
    def reopen(self, *, reason: str) -> None:
        self.approved_by = self.returned_by = self.return_reason = ""
        self.approved_amount = None
        self.looked_at = False
        self.rounds += 1

    @transition(
        source=Step.PAID,
        target=Step.PART_PAID,
        reopens=True,
        asks=["reason"],
        label=_("Reopen for further costs"),
        confirm=_(
            "What was paid stays paid. Further costs may be sent for a year. The claimant gets a "
            "letter with your reason."
        ),
    )
    def reopen_paid(self, *, reason: str) -> None:
        pass

    @transition(
        source=Step.LAPSED,
        target=Step.DRAFT,
        reopens=True,
        asks=["reason"],
        label=_("Reopen the draft"),
        confirm=_("The draft waits for its applicant again. They get a letter with your reason."),
    )
    def reopen_draft(self, *, reason: str) -> None:
        pass

    # -- ends

    @transition(source=Step.DRAFT, target=Step.LAPSED, label=_("Let the draft lapse"))
    def lapse(self, *, reason: str) -> None:
        self.outcome_reason = reason

    @transition(
        source=WITHDRAWABLE,
        target=Step.WITHDRAWING,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Withdraw the claim"),
        confirm=_(
            "The claim ends and nothing more is paid. Whatever it waits for is cancelled, and the "
            "claimant gets a letter."
        ),
    )
    def withdraw(self, *, reason: str) -> None:
        """The claimant, or a caseworker for the claimant, gives the claim up."""
        self.outcome_reason = reason
        self.reserve = Decimal(0)
