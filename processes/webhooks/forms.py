"""Forms of webhooks."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cases.models import Client


class WordsField(forms.CharField):
    """Words with blanks or commas between."""

    def clean(self, value: Any) -> list[str]:
        return super().clean(value).replace(",", " ").split()  # type: ignore[no-any-return]


class ChangeForm(forms.Form):
    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=2000,
        help_text=gettext_lazy("https://… of the receiver."),
    )
    title = forms.CharField(label=gettext_lazy("Title"), max_length=120, required=False)
    kinds = WordsField(
        label=gettext_lazy("Kinds of cases"),
        max_length=1000,
        required=False,
        help_text=gettext_lazy("Such as: loan permit. Empty: all that the account may read."),
    )
    types = WordsField(
        label=gettext_lazy("Types of events"),
        max_length=2000,
        required=False,
        help_text=gettext_lazy("Such as: step.entered task.*. Empty: all."),
    )


class MakeForm(ChangeForm):
    client = forms.ModelChoiceField(
        Client.objects.none(),
        label=gettext_lazy("Account"),
        help_text=gettext_lazy("Sent are events of the cases that it may read."),
    )

    field_order = ["client", "url", "title", "kinds", "types"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["client"].queryset = Client.objects.filter(is_active=True).order_by("name")


class RotateForm(forms.Form):
    overlap_hours = forms.IntegerField(
        label=gettext_lazy("Hours in which both secrets are used"),
        min_value=0,
        max_value=720,
        initial=24,
    )


class ReplayForm(forms.Form):
    since = forms.DateTimeField(
        label=gettext_lazy("From this moment on"),
        required=False,
        help_text=gettext_lazy("Such as 2027-03-04 12:00; a little of what was before comes too."),
    )
    after = forms.CharField(
        label=gettext_lazy("Or from this place of the feed on"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("A cursor, or the word beginning."),
    )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if not self.errors and bool(data.get("since")) == bool(data.get("after")):
            raise forms.ValidationError(_("Give a moment or a place."))
        return data
