"""A customer or supplier from first contact to the end of the file; and a beneficial owner."""

from __future__ import annotations

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from cases.fsm import transition
from cases.models import Case
from processes.letters import Correspondent

COUNTRY = RegexValidator(r"^[A-Z]{2}$", _("Two capital letters, such as NL."))


class Relation(models.TextChoices):
    CUSTOMER = "customer", _("Customer")
    SUPPLIER = "supplier", _("Supplier")


class Activity(models.TextChoices):
    TRADE = "trade", _("Trade or services")
    INDUSTRY = "industry", _("Industry or building")
    CASH = "cash", _("Much cash, such as catering or cars")
    FINANCE = "finance", _("Money of others")
    GAMES = "games", _("Games of chance, or arms")


class Risk(models.TextChoices):
    LOW = "low", _("Low")
    NORMAL = "normal", _("Normal")
    HIGH = "high", _("High")


class Step(models.TextChoices):
    RECEIVED = "received", _("Received")
    CHECKS = "checks", _("Checks")
    OWNERS = "owners", _("Beneficial owners")
    AWAITING_DOCUMENTS = "awaiting_documents", _("Awaiting documents")
    ASSESSMENT = "assessment", _("Assessment")
    APPROVAL = "approval", _("Approval")
    ACTIVE = "active", _("Active")
    REVIEW = "review", _("Periodic review")
    OFFBOARDING = "offboarding", _("Being ended")
    RETAINED = "retained", _("Ended, file kept")
    REFUSING = "refusing", _("Being refused")
    WITHDRAWING = "withdrawing", _("Being withdrawn")
    ENDED = "ended", _("Ended")
    REFUSED = "refused", _("Refused")
    LAPSED = "lapsed", _("Lapsed")
    WITHDRAWN = "withdrawn", _("Withdrawn")


# Until the relation begins. From then on it is not withdrawn but ended.
WITHDRAWABLE = (
    Step.RECEIVED,
    Step.CHECKS,
    Step.OWNERS,
    Step.AWAITING_DOCUMENTS,
    Step.ASSESSMENT,
    Step.APPROVAL,
)
JUDGING = (Step.CHECKS, Step.OWNERS, Step.ASSESSMENT, Step.APPROVAL)


class Onboarding(Case):
    """A business that wants to buy from us or sell to us. Amounts are in euro a year."""

    Step = Step
    kind_name = "onboarding"
    closing_steps = (Step.ENDED, Step.REFUSED, Step.LAPSED, Step.WITHDRAWN)

    # What the business says
    name = models.CharField(_("name of the business"), max_length=200)
    relation = models.CharField(_("relation"), max_length=10, choices=Relation.choices)
    email = models.EmailField(_("e-mail address"), blank=True, default="")
    registration_number = models.CharField(_("registration number"), max_length=20)
    country = models.CharField(_("country"), max_length=2, validators=[COUNTRY])
    activity = models.CharField(_("activity"), max_length=10, choices=Activity.choices)
    turnover = models.DecimalField(
        _("expected turnover with us"),
        max_digits=14,
        decimal_places=2,
        validators=[MinValueValidator(Decimal(0))],
    )
    owners = models.TextField(
        _("beneficial owners"),
        blank=True,
        default="",
        max_length=4000,
        help_text=_("One a line: name; day of birth; country; share in %; id number."),
    )

    # What the process finds
    checked = models.TextField(_("facts that the checks looked at"), blank=True, default="")
    is_exposed = models.BooleanField(_("politically exposed person among them"), default=False)
    points = models.IntegerField(_("risk points"), null=True, blank=True)
    risk = models.CharField(_("risk"), max_length=10, blank=True, default="", choices=Risk.choices)
    review_years = models.PositiveSmallIntegerField(_("years to the next review"), default=0)
    reviews = models.PositiveSmallIntegerField(_("reviews so far"), default=0)
    assessed_by = models.CharField(_("assessed by"), max_length=80, blank=True, default="")
    missing_papers = models.CharField(
        _("papers asked for again"), max_length=400, blank=True, default=""
    )
    papers_reason = models.TextField(_("why they are asked for again"), blank=True, default="")
    is_reason_told = models.BooleanField(_("the business reads the reason"), default=True)

    class Meta:
        verbose_name = _("onboarding")
        verbose_name_plural = _("onboardings")

    @property
    def correspondent(self) -> Correspondent:
        return Correspondent(self.name, self.email)

    @transition(source=Step.RECEIVED, target=Step.CHECKS, label=_("Begin the checks"))
    def begin_checks(self) -> None:
        pass

    @transition(source=Step.CHECKS, target=Step.OWNERS, label=_("Look at the owners"))
    def look_at_owners(self, *, checked: str, is_exposed: bool) -> None:
        self.checked = checked
        self.is_exposed = is_exposed

    @transition(
        source=Step.OWNERS, target=Step.AWAITING_DOCUMENTS, label=_("Ask for the documents")
    )
    def request_documents(self, *, is_exposed: bool) -> None:
        self.is_exposed = is_exposed

    @transition(
        source=Step.AWAITING_DOCUMENTS, target=Step.ASSESSMENT, label=_("Begin the assessment")
    )
    def assess(self) -> None:
        self.missing_papers = self.papers_reason = ""

    @transition(
        source=Step.ASSESSMENT,
        target=Step.AWAITING_DOCUMENTS,
        label=_("Send the file back for missing papers"),
    )
    def send_back(self, *, papers: str, reason: str) -> None:
        self.missing_papers = papers
        self.papers_reason = reason

    @transition(source=Step.ASSESSMENT, target=Step.APPROVAL, label=_("Put to approval"))
    def put_to_approval(self, *, points: int, risk: str, review_years: int, by: str) -> None:
        self._rate(points, risk, review_years)
        self.assessed_by = by

    @transition(
        source=(Step.OWNERS, Step.ASSESSMENT, Step.APPROVAL),
        target=Step.CHECKS,
        label=_("Check the changed facts anew"),
    )
    def check_anew(self, *, reason: str) -> None:
        """What was checked or judged is no longer what the file says."""

    @transition(source=Step.APPROVAL, target=Step.ACTIVE, label=_("Begin the relation"))
    def activate(self) -> None:
        pass

    @transition(source=Step.ACTIVE, target=Step.REVIEW, label=_("Begin the periodic review"))
    def begin_review(self, *, reason: str) -> None:
        pass

    @transition(source=Step.REVIEW, target=Step.ACTIVE, label=_("Go on with the relation"))
    def go_on(self, *, points: int, risk: str, review_years: int, is_exposed: bool) -> None:
        self._rate(points, risk, review_years)
        self.is_exposed = is_exposed
        self.reviews += 1

    def _rate(self, points: int, risk: str, review_years: int) -> None:
        self.points, self.risk, self.review_years = points, risk, review_years

    # -- open again

    @transition(
        source=(Step.REFUSED, Step.LAPSED, Step.WITHDRAWN),
        target=Step.CHECKS,
        reopens=True,
        asks=["reason"],
        label=_("Reopen the request"),
        confirm=_(
            "The business and its owners are checked afresh. The business gets a letter with your "
            "reason."
        ),
    )
    def reopen(self, *, reason: str) -> None:
        """Once the relation has ended and its file was kept, a new request begins instead."""
        self.checked = self.risk = self.assessed_by = ""
        self.missing_papers = self.papers_reason = ""
        self.points = None
        self.is_exposed, self.is_reason_told = False, True

    # -- ends

    @transition(
        source=(Step.ACTIVE, Step.REVIEW),
        target=Step.OFFBOARDING,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("End the relation"),
        confirm=_(
            "The relation ends, and the business gets a letter with your reason. The file is kept "
            "for five years."
        ),
    )
    def offboard(self, *, reason: str, is_reason_told: bool = True) -> None:
        """The relation ends, by the business or by us."""
        self.outcome_reason = reason
        self.is_reason_told = is_reason_told

    @transition(source=Step.OFFBOARDING, target=Step.RETAINED, label=_("Keep the file"))
    def retain(self) -> None:
        pass

    @transition(source=Step.RETAINED, target=Step.ENDED, label=_("Close the file"))
    def close_file(self) -> None:
        pass

    @transition(
        source=JUDGING,
        target=Step.REFUSING,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Refuse the business"),
        confirm=_("The case ends, and the business gets a letter with your reason."),
    )
    def refuse(self, *, reason: str, is_reason_told: bool = True) -> None:
        """Say no. Where the law forbids to tell why, the letter does not."""
        self.outcome_reason = reason
        self.is_reason_told = is_reason_told

    @transition(source=Step.REFUSING, target=Step.REFUSED, label=_("Close as refused"))
    def close_refused(self) -> None:
        pass

    @transition(source=Step.AWAITING_DOCUMENTS, target=Step.LAPSED, label=_("Let it lapse"))
    def lapse(self, *, reason: str) -> None:
        self.outcome_reason = reason

    @transition(
        source=WITHDRAWABLE,
        target=Step.WITHDRAWING,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Withdraw the request"),
        confirm=_("The case ends. Checks of owners end with it, and the business gets a letter."),
    )
    def withdraw(self, *, reason: str) -> None:
        """The business, or a caseworker for it, takes the request back."""
        self.outcome_reason = reason

    @transition(source=Step.WITHDRAWING, target=Step.WITHDRAWN, label=_("Close as withdrawn"))
    def close_withdrawn(self) -> None:
        pass


class OwnerStep(models.TextChoices):
    CHECKS = "checks", _("Checks")
    CLEARED = "cleared", _("Cleared")
    NOT_CLEARED = "not_cleared", _("Not cleared")
    WITHDRAWN = "withdrawn", _("Withdrawn")


class BeneficialOwner(Case):
    """A person who owns or controls a business, checked within its onboarding or review."""

    Step = OwnerStep
    kind_name = "owner"
    closing_steps = (OwnerStep.CLEARED, OwnerStep.NOT_CLEARED, OwnerStep.WITHDRAWN)

    full_name = models.CharField(_("name"), max_length=200)
    born_date = models.DateField(_("day of birth"))
    country = models.CharField(_("country"), max_length=2, validators=[COUNTRY])
    share = models.DecimalField(
        _("share in %"),
        max_digits=5,
        decimal_places=2,
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(100))],
    )
    id_number = models.CharField(_("id number"), max_length=20)
    is_exposed = models.BooleanField(_("politically exposed"), default=False)

    class Meta:
        verbose_name = _("beneficial owner")
        verbose_name_plural = _("beneficial owners")

    @transition(source=OwnerStep.CHECKS, target=OwnerStep.CLEARED, label=_("Clear the owner"))
    def clear(self, *, is_exposed: bool) -> None:
        self.is_exposed = is_exposed

    @transition(
        source=OwnerStep.CHECKS, target=OwnerStep.NOT_CLEARED, label=_("Do not clear the owner")
    )
    def stop(self, *, reason: str) -> None:
        self.outcome_reason = reason

    @transition(
        source=OwnerStep.CHECKS,
        target=OwnerStep.WITHDRAWN,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Withdraw the check"),
    )
    def withdraw(self, *, reason: str) -> None:
        """This person is no owner any more, or the business is gone."""
        self.outcome_reason = reason
