"""What people fill in for documents: which came in, and whether they will do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cases.forms import long_text
from cases.models import Document, Requirement


def titles_of(requirements: Sequence[Requirement], titles: Mapping[str, Any]) -> dict[str, str]:
    """What a document may be: first what the case asks for, then what its kind knows."""
    known = {one.name: one.title for one in requirements}
    return known | {name: str(title) for name, title in titles.items() if name not in known}


def limits() -> str:
    """What is taken, in a sentence."""
    return _(
        "At most %(size)s. PDF, pictures, text, office files; programs and web pages are refused."
    ) % {"size": filesizeformat(settings.LONGCASE_UPLOAD_BYTES)}


def check_size(file: Any) -> None:
    if file.size > settings.LONGCASE_UPLOAD_BYTES:
        raise forms.ValidationError(
            _("%(name)s has %(size)s; at most %(most)s are taken.")
            % {
                "name": file.name,
                "size": filesizeformat(file.size),
                "most": filesizeformat(settings.LONGCASE_UPLOAD_BYTES),
            }
        )


class UploadForm(forms.Form):
    """A document that came in, for what was asked or for something else."""

    name = forms.ChoiceField(label=gettext_lazy("What is it?"))
    file = forms.FileField(label=gettext_lazy("File"), max_length=1000)

    def __init__(
        self, *args: Any, requirements: Sequence[Requirement], titles: dict[str, Any], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        known = titles_of(requirements, titles)
        self.fields["name"].choices = [*known.items(), ("other", _("Something else"))]
        self.fields["file"].help_text = limits() + " " + _("The file is kept as it is.")

    def clean_file(self) -> Any:
        check_size(self.cleaned_data["file"])
        return self.cleaned_data["file"]


class SeveralFiles(forms.FileField):
    """Any number of files in one field."""

    widget = type("SeveralInput", (forms.FileInput,), {"allow_multiple_selected": True})

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        files = data if isinstance(data, (list, tuple)) else [data] if data else []
        return [super(SeveralFiles, self).clean(one, initial) for one in files]


class SeveralForm(forms.Form):
    """Documents that came in together: a file for each that is wanted, and what else was with
    them. A file that is too large or empty is told by the act, beside those that are kept."""

    def __init__(
        self, *args: Any, requirements: Sequence[Requirement], titles: dict[str, Any], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        for name, title in titles_of(requirements, titles).items():
            self.fields[f"file_{name}"] = forms.FileField(
                label=title, required=False, max_length=1000, allow_empty_file=True
            )
            self.fields[f"file_{name}"].widget.attrs["data-name"] = name
        self.fields["others"] = SeveralFiles(
            label=_("Something else"),
            help_text=_("Any number of files; each becomes a document of its own."),
            required=False,
            max_length=1000,
            allow_empty_file=True,
        )
        self.fields["others"].widget.attrs["data-name"] = "other"

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not self.chosen():
            raise forms.ValidationError(_("Choose at least one file."))
        return cleaned

    def chosen(self) -> list[tuple[str, Any]]:
        """The files, each with the name of the document that it is."""
        found = [
            (field.removeprefix("file_"), file)
            for field, file in self.cleaned_data.items()
            if field.startswith("file_") and file
        ]
        return found + [("other", one) for one in self.cleaned_data.get("others", ())]


class JudgeForm(forms.Form):
    """Whether a document is what was asked for."""

    verdict = forms.ChoiceField(
        label=gettext_lazy("Is this what was asked for?"),
        widget=forms.RadioSelect,
        choices=[
            ("accept", gettext_lazy("Accept")),
            ("reject", gettext_lazy("Reject, and ask for it again")),
        ],
        error_messages={"required": gettext_lazy("Choose accept or reject.")},
    )
    dated = forms.DateField(
        label=gettext_lazy("Date on the document"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    reason = long_text(
        gettext_lazy("Why it is rejected"),
        help_text=gettext_lazy("Only when you reject it. The party who sent it will read this."),
        required=False,
    )

    def __init__(self, *args: Any, document: Document, counts_for: str = "", **kwargs: Any) -> None:
        """`counts_for` says for how long such a paper counts; without it no date is asked."""
        super().__init__(*args, **kwargs)
        self.document = document
        if counts_for:
            self.fields["dated"].help_text = _(
                "It counts for %(span)s from then; without a date, from the day it came in."
            ) % {"span": counts_for}
        else:
            del self.fields["dated"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("verdict") == "reject" and not cleaned.get("reason"):
            self.add_error("reason", _("Say what is wrong with it; the sender will read this."))
        return cleaned
