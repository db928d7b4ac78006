"""A building permit: its facts, and the edges of its graph."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.validators import MinLengthValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from cases.fsm import transition
from cases.models import Case
from processes.letters import Correspondent


class Step(models.TextChoices):
    RECEIPT = "receipt", _("Receipt")
    COMPLETENESS = "completeness", _("Completeness")
    AWAITING_DATA = "awaiting_data", _("Awaiting data")
    ASSESSMENT = "assessment", _("Assessment")
    DRAFT = "draft", _("Draft decision")
    DECISION = "decision", _("Decision")
    SENDING = "sending", _("Sending the decision")
    OBJECTION_TERM = "objection_term", _("Objection term")
    OBJECTION = "objection", _("Objection")
    APPEAL_TERM = "appeal_term", _("Appeal term")
    APPEAL = "appeal", _("Appeal")
    IRREVOCABLE = "irrevocable", _("Irrevocable")
    SUSPENDED = "suspended", _("Suspended")
    WITHDRAWING = "withdrawing", _("Being withdrawn")
    ARCHIVED = "archived", _("Archived")
    NO_PERMIT_NEEDED = "no_permit_needed", _("No permit needed")
    WITHDRAWN = "withdrawn", _("Withdrawn")


class Decision(models.TextChoices):
    GRANTED = "granted", _("Granted")
    REFUSED = "refused", _("Refused")
    BY_DEFAULT = "granted_by_default", _("Granted by default")
    NOT_TREATED = "not_treated", _("Not treated")


UNDECIDED = (Step.RECEIPT, Step.COMPLETENESS, Step.AWAITING_DATA, Step.ASSESSMENT)
DECIDING = (Step.DRAFT, Step.DECISION)
DECIDED = (
    Step.SENDING,
    Step.OBJECTION_TERM,
    Step.OBJECTION,
    Step.APPEAL_TERM,
    Step.APPEAL,
    Step.IRREVOCABLE,
)
AT_WORK = (*UNDECIDED, *DECIDING, *DECIDED)


def default_policy() -> bool:
    """Whether a permit that is asked for today counts as granted when the legal term passes."""
    return bool(settings.LONGCASE_PERMIT_BY_DEFAULT)


def was_suspended_from(*steps: Any) -> Any:
    """A condition: the case was suspended at one of these steps."""

    def condition(case: PermitApplication) -> bool:
        return case.suspended_from in steps

    return condition


def is_undecided(case: PermitApplication) -> bool:
    """A condition: nobody, nor the law, has decided on it."""
    return not case.decision


class PermitApplication(Case):
    """An application for an environmental or building permit, from receipt to the archive."""

    Step = Step
    kind_name = "permit"
    closing_steps = (Step.ARCHIVED, Step.NO_PERMIT_NEEDED, Step.WITHDRAWN)

    # What the applicant says
    applicant_name = models.CharField(
        _("name of the applicant"), max_length=200, validators=[MinLengthValidator(1)]
    )
    email = models.EmailField(_("e-mail address"), blank=True, default="")
    address = models.TextField(_("address"), blank=True, default="", max_length=500)
    site = models.CharField(_("site of the works"), max_length=300)
    description = models.TextField(_("what is to be done"), blank=True, default="", max_length=2000)
    parts = models.CharField(
        _("parts"),
        max_length=300,
        help_text=_("What is asked for, as words: build fell demolish."),
    )
    channel = models.CharField(_("received by"), max_length=40, blank=True, default="internet")
    received_on = models.DateField(_("received on"), null=True, blank=True)
    costs = models.DecimalField(
        _("costs of the works"),
        max_digits=12,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal(0))],
    )

    # The policy under which it was opened
    by_default = models.BooleanField(_("granted when the term passes"), default=default_policy)

    # What the process finds
    round = models.PositiveSmallIntegerField(_("round of the assessment"), default=1)
    missing_data = models.CharField(_("data asked for"), max_length=400, blank=True, default="")
    missing_reason = models.TextField(_("why the data are asked for"), blank=True, default="")
    data_days = models.PositiveSmallIntegerField(_("days to send the data"), default=42)
    proposal = models.CharField(_("drafted decision"), max_length=40, blank=True, default="")
    grounds = models.TextField(_("grounds"), blank=True, default="")
    conditions = models.TextField(_("conditions"), blank=True, default="")
    drafted_by = models.CharField(_("drafted by"), max_length=80, blank=True, default="")
    decision = models.CharField(
        _("decision"), max_length=40, blank=True, default="", choices=Decision.choices
    )
    decided_by = models.CharField(_("decided by"), max_length=80, blank=True, default="")
    objectors = models.TextField(
        _("objections of"), blank=True, default="", help_text=_("Name <address>, one a line.")
    )
    objection_grounds = models.TextField(_("grounds of the objections"), blank=True, default="")
    suspended_from = models.CharField(_("suspended at"), max_length=40, blank=True, default="")

    class Meta:
        verbose_name = _("permit application")
        verbose_name_plural = _("permit applications")
        constraints = [
            models.CheckConstraint(condition=~models.Q(parts=""), name="permit_for_something"),
            models.CheckConstraint(condition=models.Q(data_days__gt=0), name="permit_data_days"),
        ]

    @property
    def correspondent(self) -> Correspondent:
        """Whom the letters go to."""
        return Correspondent(self.applicant_name, self.email)

    # -- edges that the steps' code takes

    @transition(
        source=Step.RECEIPT, target=Step.COMPLETENESS, label=_("Check whether it is complete")
    )
    def check_completeness(self) -> None:
        pass

    @transition(source=Step.RECEIPT, target=Step.NO_PERMIT_NEEDED, label=_("Close: none needed"))
    def need_no_permit(self, *, reason: str) -> None:
        self.outcome_reason = reason

    @transition(source=Step.RECEIPT, target=Step.SUSPENDED, label=_("Hold the application"))
    def hold(self, *, reason: str) -> None:
        """There are grounds to hold it; when they end, its completeness is checked."""
        self.outcome_reason = reason
        self.suspended_from = str(Step.COMPLETENESS)

    @transition(
        source=Step.COMPLETENESS, target=Step.AWAITING_DATA, label=_("Ask for missing data")
    )
    def ask_data(self, *, papers: str, reason: str, days: int) -> None:
        self.missing_data = papers
        self.missing_reason = reason
        self.data_days = days

    @transition(source=Step.AWAITING_DATA, target=Step.COMPLETENESS, label=_("Look at the data"))
    def look_again(self) -> None:
        pass

    @transition(source=Step.AWAITING_DATA, target=Step.SENDING, label=_("Leave it untreated"))
    def leave_untreated(self, *, reason: str, by: str) -> None:
        self.decision = str(Decision.NOT_TREATED)
        self.decided_by = by
        self.grounds = reason

    @transition(
        source=(Step.COMPLETENESS, Step.AWAITING_DATA),
        target=Step.ASSESSMENT,
        label=_("Begin the assessment"),
    )
    def find_complete(self) -> None:
        self.missing_data = self.missing_reason = ""

    @transition(source=Step.ASSESSMENT, target=Step.DRAFT, label=_("Draft the decision"))
    def know_advice(self, *, grounds: str, conditions: str) -> None:
        self.grounds = grounds
        self.conditions = conditions

    @transition(source=Step.DRAFT, target=Step.DECISION, label=_("Put to decision"))
    def put_to_decision(self, *, proposal: str, grounds: str, conditions: str, by: str) -> None:
        self.proposal = proposal
        self.grounds = grounds
        self.conditions = conditions
        self.drafted_by = by

    @transition(source=Step.DECISION, target=Step.DRAFT, label=_("Draft it anew"))
    def draft_anew(self, *, reason: str) -> None:
        pass

    @transition(
        source=(Step.ASSESSMENT, *DECIDING),
        target=Step.ASSESSMENT,
        label=_("Assess the changed application anew"),
    )
    def assess_anew(self, *, reason: str) -> None:
        self.round += 1

    @transition(source=Step.DECISION, target=Step.SENDING, label=_("Send the decision"))
    def decide(self, *, by: str) -> None:
        self.decision = self.proposal
        self.decided_by = by

    @transition(
        source=(*UNDECIDED, *DECIDING, Step.SENDING),
        target=Step.SENDING,
        label=_("Grant by default: the legal term has passed"),
    )
    def grant_by_default(self) -> None:
        """The law decides when the authority does not."""
        self.decision = str(Decision.BY_DEFAULT)
        self.decided_by = "law"

    @transition(
        source=Step.SENDING, target=Step.OBJECTION_TERM, label=_("Wait for the objection term")
    )
    def open_objection_term(self) -> None:
        pass

    @transition(
        source=(Step.OBJECTION_TERM, Step.IRREVOCABLE),
        target=Step.OBJECTION,
        label=_("Treat the objections"),
    )
    def treat_objections(self, *, objectors: str, grounds: str) -> None:
        self.objectors = objectors
        self.objection_grounds = grounds

    @transition(source=Step.OBJECTION, target=Step.APPEAL_TERM, label=_("Let the decision stand"))
    def let_stand(self) -> None:
        pass

    @transition(source=Step.APPEAL_TERM, target=Step.APPEAL, label=_("Await the court"))
    def await_court(self, *, appellant: str) -> None:
        self.objectors = appellant

    @transition(
        source=(Step.OBJECTION, Step.APPEAL),
        target=Step.DRAFT,
        label=_("Draft a new decision"),
    )
    def annul(self, *, reason: str) -> None:
        """The decision falls; a new one takes its place, without a legal term."""
        self.decision = ""
        self.grounds = reason

    @transition(
        source=(Step.OBJECTION_TERM, Step.APPEAL_TERM, Step.APPEAL),
        target=Step.IRREVOCABLE,
        label=_("Make the decision irrevocable"),
    )
    def become_irrevocable(self) -> None:
        pass

    @transition(
        source=Step.OBJECTION_TERM,
        target=Step.IRREVOCABLE,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Record that all waived their objection"),
        confirm=_("The decision becomes irrevocable at once, before the six weeks are over."),
    )
    def record_waiver(self, *, reason: str) -> None:
        """Everybody concerned says that they will not object."""

    @transition(source=Step.IRREVOCABLE, target=Step.ARCHIVED, label=_("Archive the case"))
    def archive(self) -> None:
        self.outcome = self.decision

    @transition(
        source=(*AT_WORK, Step.SUSPENDED),
        target=Step.ARCHIVED,
        staff=True,
        role="supervisor",
        asks=["reason"],
        label=_("Close the case as it stands"),
        confirm=_(
            "The case is archived at once, whatever it waits for. Nobody gets a letter. For cases "
            "that were opened by mistake, or that another one replaced."
        ),
    )
    def close_early(self, *, reason: str) -> None:
        self.outcome = self.decision or "closed"
        self.outcome_reason = reason

    # -- taken back while nothing rests on it

    @transition(
        source=(Step.DECISION, Step.SENDING),
        target=Step.DECISION,
        takes_back=["decision"],
        label=_("Decide once more"),
    )
    def take_back_decision(self) -> None:
        self.decision = self.decided_by = ""

    # -- suspension

    @transition(
        source=AT_WORK,
        target=Step.SUSPENDED,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Suspend the case"),
        confirm=_(
            "The legal term stops, and open work on the case is cancelled until somebody resumes "
            "it. What was finished stays finished. The applicant gets a letter with your reason."
        ),
    )
    def suspend(self, *, reason: str) -> None:
        self.suspended_from = str(self.step)
        self.outcome_reason = reason

    @transition(
        source=Step.SUSPENDED,
        target=Step.RECEIPT,
        conditions=[was_suspended_from(Step.RECEIPT)],
        label=_("Resume at receipt"),
    )
    def resume_receipt(self) -> None:
        self.suspended_from = self.outcome_reason = ""

    @transition(
        source=Step.SUSPENDED,
        target=Step.COMPLETENESS,
        conditions=[was_suspended_from(Step.COMPLETENESS)],
        label=_("Resume at completeness"),
    )
    def resume_completeness(self) -> None:
        self.suspended_from = self.outcome_reason = ""

    @transition(
        source=Step.SUSPENDED,
        target=Step.AWAITING_DATA,
        conditions=[was_suspended_from(Step.AWAITING_DATA)],
        label=_("Resume waiting for data"),
    )
    def resume_awaiting_data(self) -> None:
        self.suspended_from = self.outcome_reason = ""

    @transition(
        source=Step.SUSPENDED,
        target=Step.ASSESSMENT,
        conditions=[was_suspended_from(Step.ASSESSMENT)],
        label=_("Resume the assessment"),
    )
    def resume_assessment(self) -> None:
        self.suspended_from = self.outcome_reason = ""

    @transition(
        source=Step.SUSPENDED,
        target=Step.DRAFT,
        conditions=[was_suspended_from(*DECIDING)],
        label=_("Resume drafting"),
    )
    def resume_draft(self) -> None:
        self.suspended_from = self.outcome_reason = ""

    @transition(
        source=Step.SUSPENDED,
        target=Step.SENDING,
        conditions=[was_suspended_from(Step.SENDING)],
        label=_("Resume sending"),
    )
    def resume_sending(self) -> None:
        self.suspended_from = self.outcome_reason = ""

    @transition(
        source=Step.SUSPENDED,
        target=Step.OBJECTION_TERM,
        conditions=[was_suspended_from(Step.OBJECTION_TERM)],
        label=_("Resume the objection term"),
    )
    def resume_objection_term(self) -> None:
        self.suspended_from = self.outcome_reason = ""

    @transition(
        source=Step.SUSPENDED,
        target=Step.OBJECTION,
        conditions=[was_suspended_from(Step.OBJECTION)],
        label=_("Resume the objection"),
    )
    def resume_objection(self) -> None:
        self.suspended_from = self.outcome_reason = ""

    @transition(
        source=Step.SUSPENDED,
        target=Step.IRREVOCABLE,
        conditions=[was_suspended_from(Step.IRREVOCABLE)],
        label=_("Resume closing the file"),
    )
    def resume_irrevocable(self) -> None:
        self.suspended_from = self.outcome_reason = ""

    @transition(
        source=Step.SUSPENDED,
        target=Step.APPEAL_TERM,
        conditions=[was_suspended_from(Step.APPEAL_TERM)],
        label=_("Resume the appeal term"),
    )
    def resume_appeal_term(self) -> None:
        self.suspended_from = self.outcome_reason = ""

    @transition(
        source=Step.SUSPENDED,
        target=Step.APPEAL,
        conditions=[was_suspended_from(Step.APPEAL)],
        label=_("Resume the appeal"),
    )
    def resume_appeal(self) -> None:
        self.suspended_from = self.outcome_reason = ""

    # -- open again

    @transition(
        source=(Step.NO_PERMIT_NEEDED, Step.WITHDRAWN, Step.ARCHIVED),
        target=Step.COMPLETENESS,
        reopens=True,
        role="supervisor",
        asks=["reason"],
        conditions=[is_undecided],
        label=_("Reopen the application"),
        confirm=_(
            "The application is treated once more, from its completeness on, without a legal term: "
            "that one ended when the case was closed. The applicant gets a letter with your reason."
        ),
    )
    def reopen(self, *, reason: str) -> None:
        """A case that was decided stays closed: against a decision one objects or appeals."""
        self.suspended_from = ""
        self.missing_data = self.missing_reason = ""
        self.round += 1

    # -- withdrawal

    @transition(
        source=(*AT_WORK, Step.SUSPENDED),
        target=Step.WITHDRAWING,
        staff=True,
        role="caseworker",
        asks=["reason"],
        label=_("Withdraw the application"),
        confirm=_(
            "The case ends, and so does a permit that was granted. Whatever the case waits for is "
            "cancelled, and the applicant gets a letter."
        ),
    )
    def withdraw(self, *, reason: str) -> None:
        """The applicant, or a caseworker for the applicant, takes the application back."""
        self.outcome_reason = reason

    @transition(source=Step.WITHDRAWING, target=Step.WITHDRAWN, label=_("Close as withdrawn"))
    def close_withdrawn(self) -> None:
        pass
