"""The form with which staff open a loan application that came by post or at the counter."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from processes.loan import rules
from processes.loan.models import LoanApplication


class LoanForm(forms.ModelForm):
    """What the applicant says; what the process finds is not asked."""

    title = forms.CharField(
        label=_("Title"),
        required=False,
        max_length=200,
        help_text=_("As the lists show the case. Empty: the applicant's name."),
    )

    class Meta:
        model = LoanApplication
        fields = rules.SAID_BY_APPLICANT
        widgets = {
            "address": forms.Textarea(attrs={"rows": 3}),
            "security": forms.Textarea(attrs={"rows": 3}),
        }
        help_texts = {
            "email": _("Letters go here. Without it they are kept to be posted."),
            "amount": _("In euro."),
            "income": _("In euro."),
            "secured": _("A house or another thing of value stands for the loan."),
            "security": _("What stands for it. The appraiser reads this."),
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name, sentence in rules.unfit(cleaned).items():
            self.add_error(name, sentence)
        if not cleaned.get("title"):
            cleaned["title"] = cleaned.get("applicant_name", "")
        return cleaned


class OfferAnswerForm(forms.Form):
    """The customer's answer to the offer, as it came by post, phone or at the counter."""

    answer = forms.ChoiceField(
        label=_("The customer"),
        choices=[("accept", _("accepts the offer")), ("decline", _("declines the offer"))],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label=_("Reason the customer gave"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
