"""What people fill in for letters and for the templates that they are written from."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cases.forms import long_text
from processes.acts.letters import TEXT_CHARACTERS


def letter_text(label: Any, **more: Any) -> forms.CharField:
    field = long_text(label, most=TEXT_CHARACTERS, **more)
    field.widget.attrs["rows"] = 16
    return field


class LetterForm(forms.Form):
    """A letter as it will be read."""

    to_name = forms.CharField(label=gettext_lazy("To"), max_length=200)
    to_email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        required=False,
        help_text=gettext_lazy("Without one the letter goes to the post room."),
    )
    subject = forms.CharField(label=gettext_lazy("Subject"), max_length=200)
    text = letter_text(gettext_lazy("Text"))


class TryAgainForm(forms.Form):
    to_email = forms.EmailField(label=gettext_lazy("E-mail address"))


class PostedForm(forms.Form):
    """Letters that somebody put into the post."""

    letters = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Letters"),
        coerce=int,
        error_messages={"required": gettext_lazy("Choose the letters that you posted.")},
    )

    def __init__(self, *args: Any, numbers: list[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["letters"].choices = [(one, one) for one in numbers]


class TemplateForm(forms.Form):
    """A letter that staff write from."""

    title = forms.CharField(
        label=gettext_lazy("Name for staff"), max_length=120, help_text=gettext_lazy("In the list.")
    )
    kind = forms.ChoiceField(label=gettext_lazy("Kind of cases"), required=False)
    language = forms.ChoiceField(label=gettext_lazy("Language"))
    subject = forms.CharField(label=gettext_lazy("Subject"), max_length=200)
    text = letter_text(gettext_lazy("Text"))
    case = forms.CharField(
        label=gettext_lazy("Try it with the case"),
        required=False,
        max_length=40,
        help_text=gettext_lazy(
            "A reference, for the preview alone. Without one the preview invents a case."
        ),
    )

    def __init__(
        self, *args: Any, kinds: list[tuple[str, str]], is_new: bool, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["kind"].choices = [("", _("Every kind")), *kinds]
        self.fields["language"].choices = settings.LANGUAGES
        if not is_new:
            del self.fields["kind"], self.fields["language"]
