"""The form with which staff open an onboarding by hand, and record what a business tells."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from processes.onboarding import rules
from processes.onboarding.models import Onboarding


class OnboardingForm(forms.ModelForm):
    """What the business says; what the process finds is not asked."""

    title = forms.CharField(
        label=_("Title"),
        required=False,
        max_length=200,
        help_text=_("As the lists show the case. Empty: the name of the business."),
    )

    class Meta:
        model = Onboarding
        fields = rules.SAID_BY_BUSINESS
        widgets = {"owners": forms.Textarea(attrs={"rows": 4})}
        help_texts = {
            "email": _("Letters go here. Without it they are kept to be posted."),
            "turnover": _("In euro a year."),
            "owners": _("One a line, such as: Ada Example; 1970-05-31; NL; 60; 999900001"),
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name, sentence in rules.unfit(cleaned).items():
            self.add_error(name, sentence)
        if not cleaned.get("title"):
            cleaned["title"] = cleaned.get("name", "")
        return cleaned


class ChangeForm(forms.Form):
    what = forms.CharField(
        label=_("What has changed"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("As the business told it. The review begins at once."),
    )
