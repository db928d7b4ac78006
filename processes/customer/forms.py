"""What a customer fills in. Labels and errors are whole sentences in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _

from cases.forms import AmountField, long_text
from processes.acts.customer import OTHER
from processes.customer.page import Answer
from processes.customer.reading import Need

TEXT_CHARACTERS = 2000


class CodeForm(forms.Form):
    """The code that came by mail or telephone."""

    code = forms.CharField(
        label=_("The code that we sent you"),
        help_text=_("Six digits. It works for ten minutes."),
        max_length=20,
        widget=forms.TextInput(
            attrs={"inputmode": "numeric", "autocomplete": "one-time-code", "autofocus": True}
        ),
        error_messages={"required": _("Type the code that we sent you.")},
    )


class LostForm(forms.Form):
    """Somebody has no address that works, and names what only they should know."""

    reference = forms.CharField(
        label=_("Your reference"),
        help_text=_("It stands at the end of each letter of ours."),
        max_length=40,
    )
    email = forms.EmailField(
        label=_("Your e-mail address"), help_text=_("The one that our letters go to.")
    )


class AnswerForm(forms.Form):
    """What the customer tells the case, as their kind declares it."""

    def __init__(self, *args: Any, answer: Answer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.answer = answer
        if answer.choices:
            self.fields[answer.choice] = forms.ChoiceField(
                label=_("Your answer"),
                choices=[(value, label) for value, label, _follows in answer.choices],
                widget=forms.RadioSelect,
                error_messages={"required": _("Choose an answer.")},
            )
        for one in answer.fields:
            if one.kind == "money":
                self.fields[one.name] = AmountField(
                    label=one.label, max_digits=12, decimal_places=2, min_value=0
                )
            else:
                self.fields[one.name] = long_text(one.label, most=TEXT_CHARACTERS)
            self.fields[one.name].required = one.required
            self.fields[one.name].help_text = one.help

    def data_for(self, case: Any, page: Any) -> dict[str, Any]:
        """The message as the kind takes it; what was left empty and may be is left out, but for
        text."""
        found = {name: fill(case, page) for name, fill in self.answer.fills.items()}
        for name, value in self.cleaned_data.items():
            if value is None or (value == "" and not self.answer.choices):
                continue
            found[name] = value
        return found

    def follows(self) -> Any:
        """What comes of this answer."""
        chosen = self.cleaned_data.get(self.answer.choice)
        follows = {value: then for value, _label, then in self.answer.choices}
        return follows.get(chosen, self.answer.follows)


class WithdrawForm(forms.Form):
    """Why a customer takes their request back."""

    reason = long_text(
        _("Why you take it back"), help_text=_("In a few words."), most=TEXT_CHARACTERS
    )


class PaperForm(forms.Form):
    """A paper that the customer sends."""

    name = forms.ChoiceField(label=_("What is it?"))
    file = forms.FileField(label=_("File"), error_messages={"required": _("Choose a file first.")})

    def __init__(self, *args: Any, needs: Sequence[Need], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        open_ = [(one.name, one.title) for one in needs if one.state != "accepted"]
        self.fields["name"].choices = [*open_, (OTHER, _("Something else"))]
        self.fields["file"].help_text = _(
            "A photo or a PDF, at most %(size)s. You may send one after the other."
        ) % {"size": filesizeformat(settings.LONGCASE_UPLOAD_BYTES)}

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > settings.LONGCASE_UPLOAD_BYTES:
            raise forms.ValidationError(
                _("This file has %(size)s; at most %(most)s are taken.")
                % {
                    "size": filesizeformat(file.size),
                    "most": filesizeformat(settings.LONGCASE_UPLOAD_BYTES),
                }
            )
        return file
