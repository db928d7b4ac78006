"""The forms with which staff open claims and their parents, and record what came by post."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from cases.models import Case
from processes.claim import rules
from processes.claim.models import Claim, Policy, Recovery, TravelPermit
from processes.claim.models.chain import BUDGETS

_DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
_LINES = forms.Textarea(attrs={"rows": 3})


class OpeningForm(forms.ModelForm):
    """A form that opens a case: its title is a person's name unless one is given."""

    titled_after = "claimant_name"

    title = forms.CharField(
        label=_("Title"),
        required=False,
        max_length=200,
        help_text=_("As the lists show the case. Empty: the name."),
    )

    def unfit(self, facts: dict[str, Any]) -> dict[str, str]:
        return {}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name, sentence in self.unfit(cleaned).items():
            self.add_error(name, sentence)
        if not cleaned.get("title"):
            cleaned["title"] = cleaned.get(self.titled_after, "")
        return cleaned

    def clean_reference(self, field: str, *kinds: str) -> str:
        """The reference of a case of one of these kinds, or nothing."""
        reference = str(self.cleaned_data.get(field) or "").strip()
        if reference and not Case.objects.filter(reference=reference, kind__in=kinds).exists():
            raise forms.ValidationError(
                _("There is no such case here. A reference looks like TP-2026-000123.")
            )
        return reference


class ClaimForm(OpeningForm):
    """What the claimant says; what the process finds is not asked."""

    class Meta:
        model = Claim
        fields = (
            "claim_type",
            "claimant_name",
            "email",
            "amount",
            "description",
            "incurred_date",
            "account",
            "unit",
            "budget",
            "belongs_to",
            "needs_permit",
            "is_draft",
        )
        widgets = {"description": _LINES, "incurred_date": _DAY}
        help_texts = {
            "email": _("Letters go here. Without it they are kept to be posted."),
            "amount": _("In euro."),
            "account": _("Empty: the claimant's account with us."),
            "unit": _("Who approves depends on unit, budget and amount."),
        }

    def unfit(self, facts: dict[str, Any]) -> dict[str, str]:
        return rules.unfit_claim(facts)

    def clean_belongs_to(self) -> str:
        return self.clean_reference("belongs_to", "travel_permit", "policy")


class PermitForm(OpeningForm):
    """A travel permit that was asked for on paper."""

    class Meta:
        model = TravelPermit
        fields = (
            "claimant_name",
            "email",
            "destination",
            "purpose",
            "trip_start",
            "trip_end",
            "amount",
            "unit",
            "budget",
        )
        widgets = {"purpose": _LINES, "trip_start": _DAY, "trip_end": _DAY}
        help_texts = {"amount": _("What the trip may cost, in euro.")}

    def unfit(self, facts: dict[str, Any]) -> dict[str, str]:
        return rules.unfit_permit(facts)


class PolicyForm(OpeningForm):
    titled_after = "holder_name"

    class Meta:
        model = Policy
        fields = (
            "holder_name",
            "email",
            "covers",
            "cover_limit",
            "own_risk",
            "starts_date",
            "ends_date",
        )
        widgets = {"starts_date": _DAY, "ends_date": _DAY}

    def unfit(self, facts: dict[str, Any]) -> dict[str, str]:
        return rules.unfit_policy(facts)


class RecoveryForm(OpeningForm):
    """Money of a paid claim is asked back."""

    titled_after = "debtor_name"

    class Meta:
        model = Recovery
        fields = ("of_claim", "debtor_name", "email", "amount", "reason")
        widgets = {"reason": _LINES}

    def clean_of_claim(self) -> str:
        return self.clean_reference("of_claim", "claim")


class ChangesForm(forms.Form):
    """Something is submitted, perhaps changed. What stays empty stays as it is."""

    amount = forms.DecimalField(
        label=_("Amount"), required=False, max_digits=12, decimal_places=2, min_value=0
    )
    unit = forms.CharField(label=_("Unit"), required=False, max_length=120)
    budget = forms.ChoiceField(
        label=_("Budget"), required=False, choices=[("", _("as before")), *BUDGETS]
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        return {name: value for name, value in cleaned.items() if value not in ("", None)}


class SubmittedForm(ChangesForm):
    """A claim that came by post or at the counter, for the first time or again."""

    description = forms.CharField(
        label=_("What for"), required=False, max_length=1000, widget=_LINES
    )
    account = forms.CharField(label=_("Account"), required=False, max_length=34)
    incurred_date = forms.DateField(
        label=_("Day of the expense or damage"), required=False, widget=_DAY
    )


class PermitSubmittedForm(ChangesForm):
    purpose = forms.CharField(label=_("Purpose"), required=False, max_length=1000, widget=_LINES)
    trip_start = forms.DateField(label=_("First day of the trip"), required=False, widget=_DAY)
    trip_end = forms.DateField(label=_("Last day of the trip"), required=False, widget=_DAY)


class NothingForm(forms.Form):
    """An answer that says all by being there."""


class ReasonForm(forms.Form):
    """The bookkeeper's system cannot take it."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=2000,
        widget=_LINES,
        help_text=_("The applicant reads it."),
    )


class FurtherCostsForm(forms.Form):
    amount = forms.DecimalField(
        label=_("Further amount"), max_digits=12, decimal_places=2, min_value=0
    )
    description = forms.CharField(
        label=_("What for"), required=False, max_length=1000, widget=_LINES
    )


class MoneyBackForm(forms.Form):
    amount = forms.DecimalField(
        label=_("Amount that came in"), max_digits=12, decimal_places=2, min_value=0
    )
