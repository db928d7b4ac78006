"""A loan application: its facts, and the edges of its graph."""

from __future__ import annotations

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinLengthValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from cases.fsm import transition
from cases.models import Case
from processes.letters import Correspondent


class Step(models.TextChoices):
    RECEIVED = "received", _("Received")
    CHECKS = "checks", _("Checks")
    AWAITING_DOCUMENTS = "awaiting_documents", _("Awaiting documents")
    UNDERWRITING = "underwriting", _("Underwriting")
    APPRAISAL = "appraisal", _("Appraisal")
    DECISION = "decision", _("Decision")
    OFFER = "offer", _("Offer")
    PAYOUT = "payout", _("Payout")
    WITHDRAWING = "withdrawing", _("Being withdrawn")
    DECLINING = "declining", _("Being declined")
    PAID_OUT = "paid_out", _("Paid out")
    DECLINED = "declined", _("Declined")
    LAPSED = "lapsed", _("Lapsed")
    EXPIRED = "expired", _("Expired")
    WITHDRAWN = "withdrawn", _("Withdrawn")


# Until the customer has accepted. From then on the money may be on its way, and giving up the loan
# is a matter of the contract.
WITHDRAWABLE = (
    Step.RECEIVED,
    Step.CHECKS,
    Step.AWAITING_DOCUMENTS,
    Step.UNDERWRITING,
    Step.APPRAISAL,
    Step.DECISION,
    Step.OFFER,
)


class LoanApplication(Case):
    """A loan application of one customer, from receipt to payout. Amounts are in euro."""

    Step = Step
    kind_name = "loan"
    closing_steps = (
        Step.PAID_OUT,
        Step.DECLINED,
        Step.LAPSED,
        Step.EXPIRED,
        Step.WITHDRAWN,
    )

    # What the applicant says
    applicant_name = models.CharField(
        _("name of the applicant"), max_length=200, validators=[MinLengthValidator(1)]
    )
    email = models.EmailField(_("e-mail address"), blank=True, default="")
    national_id = models.CharField(_("national id"), max_length=20)
    address = models.TextField(_("address"), blank=True, default="", max_length=500)
    amount = models.DecimalField(
        _("amount"),
        max_digits=12,
        decimal_places=2,
        validators=[MinValueValidator(Decimal("0.01"))],
    )
    purpose = models.CharField(_("purpose"), max_length=200, blank=True, default="")
    income = models.DecimalField(
        _("net income a month"),
        max_digits=12,
        decimal_places=2,
        default=Decimal(0),
        validators=[MinValueValidator(Decimal(0))],
    )
    term_months = models.PositiveSmallIntegerField(
        _("term in months"), default=36, validators=[MinValueValidator(1), MaxValueValidator(480)]
    )
    secured = models.BooleanField(_("secured"), default=False)
    security = models.TextField(_("security"), blank=True, default="", max_length=1000)
    account = models.CharField(
        _("account for the payout"),
        max_length=34,
        blank=True,
        default="",
        help_text=_("Empty: the customer's account with us."),
    )

    # What the process finds
    credit_score = models.IntegerField(_("credit score"), null=True, blank=True)
    missing_papers = models.CharField(
        _("papers asked for again"), max_length=400, blank=True, default=""
    )
    papers_reason = models.TextField(_("why they are asked for again"), blank=True, default="")
    appraised_value = models.DecimalField(
        _("appraised value"), max_digits=12, decimal_places=2, null=True, blank=True
    )
    interest_rate = models.DecimalField(
        _("interest rate a year"), max_digits=5, decimal_places=2, null=True, blank=True
    )
    monthly_payment = models.DecimalField(
        _("monthly payment"), max_digits=12, decimal_places=2, null=True, blank=True
    )
    payout_reference = models.CharField(
        _("reference of the payout"), max_length=80, blank=True, default=""
    )

    class Meta:
        verbose_name = _("loan application")
        verbose_name_plural = _("loan applications")
        constraints = [
            models.CheckConstraint(condition=models.Q(amount__gt=0), name="loan_of_something"),
            models.CheckConstraint(condition=models.Q(term_months__gt=0), name="loan_has_a_term"),
        ]

    @property
    def correspondent(self) -> Correspondent:
        """Whom the letters go to."""
        return Correspondent(self.applicant_name, self.email)

    # -- edges that the steps' code takes

    @transition(source=Step.RECEIVED, target=Step.CHECKS, label=_("Begin the checks"))
    def begin_checks(self) -> None:
        pass

    @transition(
        source=Step.CHECKS, target=Step.AWAITING_DOCUMENTS, label=_("Ask for the documents")
    )
    def request_documents(self, *, score: int) -> None:
        self.credit_score = score

    @transition(
        source=Step.AWAITING_DOCUMENTS, target=Step.UNDERWRITING, label=_("Begin underwriting")
    )
    def begin_underwriting(self) -> None:
        self.missing_papers = self.papers_reason = ""

    @transition(
        source=Step.UNDERWRITING,
        target=Step.AWAITING_DOCUMENTS,
        label=_("Send the file back for missing papers"),
    )
    def send_back(self, *, papers: str, reason: str) -> None:
        self.missing_papers = papers
        self.papers_reason = reason

    @transition(source=Step.UNDERWRITING, target=Step.APPRAISAL, label=_("Order an appraisal"))
    def begin_appraisal(self) -> None:
        pass

    @transition(
        source=(Step.UNDERWRITING, Step.APPRAISAL), target=Step.DECISION, label=_("Put to decision")
    )
    def put_to_decision(self, *, appraised_value: Decimal | None = None) -> None:
        self.appraised_value = appraised_value

    @transition(source=Step.DECISION, target=Step.OFFER, label=_("Make the offer"))
    def make_offer(self, *, interest_rate: Decimal, monthly_payment: Decimal) -> None:
        self.interest_rate = interest_rate
        self.monthly_payment = monthly_payment

    @transition(source=Step.OFFER, target=Step.PAYOUT, label=_("Pay out"))
    def accept_offer(self) -> None:
        pass

    @transition(source=Step.PAYOUT, target=Step.PAID_OUT, label=_("Close as paid out"))
    def close_paid_out(self, *, booking: str) -> None:
        self.payout_reference = booking

    @transition(
        source=Step.OFFER,
        target=Step.UNDERWRITING,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Take the offer back for review"),
        confirm=_("The offer no longer stands. Underwriting looks at the file again."),
    )
    def review_again(self, *, reason: str) -> None:
        """The customer sent papers or a wish with the offer: it is judged anew."""

    @transition(
        source=(Step.APPRAISAL, Step.DECISION, Step.OFFER),
        target=Step.UNDERWRITING,
        label=_("Judge the changed application anew"),
    )
    def judge_anew(self, *, reason: str) -> None:
        pass

    @transition(
        source=(
            Step.UNDERWRITING,
            Step.AWAITING_DOCUMENTS,
            Step.APPRAISAL,
            Step.DECISION,
        ),
        target=Step.UNDERWRITING,
        takes_back=["underwriting", "second_underwriting"],
        label=_("Underwrite once more"),
        confirm=_("All underwriting reviews of this application are asked for again."),
    )
    def take_back_underwriting(self) -> None:
        self.missing_papers = self.papers_reason = ""
        self.appraised_value = None

    @transition(
        source=(Step.DECISION, Step.OFFER),
        target=Step.DECISION,
        takes_back=["decision"],
        label=_("Decide once more"),
    )
    def take_back_decision(self) -> None:
        self.interest_rate = self.monthly_payment = None

    # -- open again

    @transition(
        source=(Step.DECLINED, Step.LAPSED, Step.WITHDRAWN),
        target=Step.CHECKS,
        reopens=True,
        asks=["reason"],
        label=_("Reopen the application"),
        confirm=_(
            "Identity and credit are checked afresh, and the application goes its way from there. "
            "Papers that were accepted still count. The customer gets a letter with your reason."
        ),
    )
    def reopen(self, *, reason: str) -> None:
        """What was found may be old by now: it is checked anew. A paid loan stays closed."""
        self.missing_papers = self.papers_reason = ""
        self.appraised_value = self.interest_rate = self.monthly_payment = None

    @transition(
        source=Step.EXPIRED,
        target=Step.DECISION,
        reopens=True,
        asks=["reason"],
        label=_("Reopen for a new offer"),
        confirm=_(
            "It is decided once more, and a new offer follows. The customer gets a letter with "
            "your reason."
        ),
    )
    def reopen_offer(self, *, reason: str) -> None:
        self.interest_rate = self.monthly_payment = None

    # -- ends

    @transition(
        source=WITHDRAWABLE,
        target=Step.DECLINING,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Decline the application"),
        confirm=_(
            "The application ends. Whatever it waits for is cancelled, and the customer gets a "
            "letter with your reason."
        ),
    )
    def turn_down(self, *, reason: str) -> None:
        """Staff decline outside of a review, with the reason that the customer reads."""
        self.outcome_reason = reason

    @transition(source=Step.DECLINING, target=Step.DECLINED, label=_("Close as declined"))
    def close_declined(self) -> None:
        pass

    @transition(
        source=(Step.CHECKS, Step.UNDERWRITING, Step.APPRAISAL, Step.DECISION),
        target=Step.DECLINED,
        label=_("Decline the application"),
    )
    def decline(self, *, reason: str) -> None:
        """Say no, with the reason that the customer reads."""
        self.outcome_reason = reason

    @transition(
        source=Step.AWAITING_DOCUMENTS, target=Step.LAPSED, label=_("Let the application lapse")
    )
    def lapse(self, *, reason: str) -> None:
        self.outcome_reason = reason

    @transition(source=Step.OFFER, target=Step.EXPIRED, label=_("Let the offer expire"))
    def expire(self, *, reason: str) -> None:
        self.outcome_reason = reason

    @transition(source=Step.OFFER, target=Step.WITHDRAWN, label=_("Close: the offer was refused"))
    def refuse_offer(self, *, reason: str) -> None:
        self.outcome = "offer_refused"
        self.outcome_reason = reason

    @transition(source=Step.PAYOUT, target=Step.WITHDRAWN, label=_("Call the payout off"))
    def call_off(self, *, reason: str) -> None:
        self.outcome = "not_paid_out"
        self.outcome_reason = reason

    @transition(
        source=WITHDRAWABLE,
        target=Step.WITHDRAWING,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Withdraw the application"),
        confirm=_(
            "The application ends. Whatever it waits for is cancelled, an appraisal that was "
            "ordered is called off, and the customer gets a letter."
        ),
    )
    def withdraw(self, *, reason: str) -> None:
        """The customer, or a caseworker for the customer, takes the application back."""
        self.outcome_reason = reason

    @transition(source=Step.WITHDRAWING, target=Step.WITHDRAWN, label=_("Close as withdrawn"))
    def close_withdrawn(self) -> None:
        pass
