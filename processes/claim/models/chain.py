"""What claims and travel permits share: facts of an approval chain, and the edges along it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.core.validators import MinLengthValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from cases.fsm import transition
from processes.letters import Correspondent

RECEIVED = "received"
ADMINISTRATION = "administration"
PRE_APPROVAL = "pre_approval"
BUDGET = "budget"
SUPERVISION = "supervision"
DIRECTION = "direction"
CHAIN = (ADMINISTRATION, PRE_APPROVAL, BUDGET, SUPERVISION, DIRECTION)
RETURNED = "returned"
TAKEN_BACK = "taken_back"
REJECTED = "rejected"
WITHDRAWING = "withdrawing"
WITHDRAWN = "withdrawn"

BUDGETS = [("own", _("the unit's own")), ("project", _("a project's")), ("shared", _("shared"))]


class UnderApproval(models.Model):
    """Something that is asked of the organisation, and goes from approver to approver.

    The chain is chosen by the table at each submission. `approved_by` are those who approved in
    this round; whoever is in it, or is the claimant, approves no other step (four eyes).
    """

    # What the applicant says
    claimant_name = models.CharField(
        _("name of the claimant"), max_length=200, validators=[MinLengthValidator(1)]
    )
    email = models.EmailField(_("e-mail address"), blank=True, default="")
    claimant = models.CharField(
        _("the claimant here"),
        max_length=80,
        blank=True,
        default="",
        help_text=_("Such as person:17, where the claimant is one of the people of Longcase."),
    )
    unit = models.CharField(_("unit"), max_length=120, blank=True, default="")
    budget = models.CharField(_("budget"), max_length=20, choices=BUDGETS, default="own")
    amount = models.DecimalField(
        _("amount"),
        max_digits=12,
        decimal_places=2,
        default=Decimal(0),
        validators=[MinValueValidator(Decimal(0))],
    )

    # What the process finds
    chain = models.CharField(_("approval chain"), max_length=120, blank=True, default="")
    rule = models.TextField(_("chosen by"), blank=True, default="")
    flags = models.CharField(_("what stands out"), max_length=200, blank=True, default="")
    what_is_approved = models.CharField(
        _("what the approvals cover"), max_length=400, blank=True, default=""
    )
    approved_by = models.CharField(
        _("approved in this round by"), max_length=400, blank=True, default=""
    )
    rounds = models.PositiveSmallIntegerField(_("times submitted again"), default=0)
    returned_by = models.CharField(_("returned by"), max_length=80, blank=True, default="")
    return_reason = models.TextField(_("why it was returned"), blank=True, default="")

    class Meta:
        abstract = True

    @property
    def correspondent(self) -> Correspondent:
        """Whom the letters go to."""
        return Correspondent(self.claimant_name, self.email)

    def _on(self, by: str, route: dict[str, Any] | None) -> None:
        """One step on along the chain: by an approval; at its beginning with what was found of
        the route (chain, rule, flags…), which become facts."""
        if by:
            self.approved_by = f"{self.approved_by} {by}".strip()
        for name, value in (route or {}).items():
            setattr(self, name, value)

    def _end_without_payment(self) -> None:
        """A kind that holds money back for this lets it go."""

    # -- edges along the chain

    @transition(source=RECEIVED, target=ADMINISTRATION, label=_("Put to the administration"))
    def to_administration(self, *, by: str = "", route: dict[str, Any] | None = None) -> None:
        self._on(by, route)

    @transition(
        source=(RECEIVED, ADMINISTRATION),
        target=PRE_APPROVAL,
        label=_("Put to the pre-approver"),
    )
    def to_pre_approval(self, *, by: str = "", route: dict[str, Any] | None = None) -> None:
        self._on(by, route)

    @transition(
        source=(RECEIVED, ADMINISTRATION, PRE_APPROVAL),
        target=BUDGET,
        label=_("Put to the budget owner"),
    )
    def to_budget(self, *, by: str = "", route: dict[str, Any] | None = None) -> None:
        self._on(by, route)

    @transition(
        source=(RECEIVED, ADMINISTRATION, PRE_APPROVAL, BUDGET),
        target=SUPERVISION,
        label=_("Put to the supervisor"),
    )
    def to_supervision(self, *, by: str = "", route: dict[str, Any] | None = None) -> None:
        self._on(by, route)

    @transition(
        source=(RECEIVED, ADMINISTRATION, PRE_APPROVAL, BUDGET, SUPERVISION),
        target=DIRECTION,
        label=_("Put to the director"),
    )
    def to_direction(self, *, by: str = "", route: dict[str, Any] | None = None) -> None:
        self._on(by, route)

    @transition(source=CHAIN, target=RECEIVED, label=_("Ask everyone anew"))
    def ask_anew(self) -> None:
        """What the approvals cover was changed after some were given: none of them counts."""
        self.approved_by = ""

    # -- back to the applicant, and again

    @transition(source=CHAIN, target=RETURNED, label=_("Return to the applicant"))
    def send_back(self, *, by: str, reason: str) -> None:
        self.returned_by = by
        self.return_reason = reason

    @transition(
        source=(*CHAIN, RETURNED),
        target=TAKEN_BACK,
        staff=True,
        role="caseworker",
        label=_("Take it back for the applicant"),
        confirm=_("Nobody approves it meanwhile. The applicant changes it and submits it again."),
    )
    def take_back(self) -> None:
        """The applicant takes it back: because it was returned, or of their own accord."""

    @transition(source=(RETURNED, TAKEN_BACK), target=RECEIVED, label=_("Submit again"))
    def resubmit(self, *, changes: dict[str, Any]) -> None:
        """The applicant submits it again, perhaps with other facts. All approve anew."""
        for name, value in changes.items():
            setattr(self, name, value)
        self.rounds += 1
        self.approved_by = self.returned_by = self.return_reason = ""

    # -- ends

    @transition(source=CHAIN, target=REJECTED, label=_("Reject"))
    def reject(self, *, reason: str) -> None:
        """A no for good, with the reason that the applicant reads."""
        self.outcome_reason = reason
        self._end_without_payment()

    @transition(
        source=(RETURNED, TAKEN_BACK), target=REJECTED, label=_("Close: never submitted again")
    )
    def let_go(self, *, reason: str) -> None:
        self.outcome_reason = reason
        self._end_without_payment()

    @transition(source=WITHDRAWING, target=WITHDRAWN, label=_("Close as withdrawn"))
    def close_withdrawn(self) -> None:
        pass
