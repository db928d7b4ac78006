"""What is asked before cases are taken away, and which cases an address means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from cases import queries, worklist
from cases.errors import NoSuchCase
from cases.forms import long_text
from cases.models import Case, Person
from cases.views import filters
from processes.acts import exports as acts
from processes.callers import Caller
from processes.exports.formats import formats
from processes.exports.gathering import CODES, NAMES
from timers import clock

MOST_TICKED = 1_000
MOST_WORK = 10_000  # rows of somebody's work
NAMES_OF_CHOICE = ("case", "ids", "list", "query", "everything")


@dataclass(frozen=True, slots=True)
class Choice:
    """Which cases somebody means: as the service is asked, in words, and as an address says it."""

    what: str
    cases: QuerySet[Case]
    told: str
    back: str


def choice_of(person: Person, sent: QueryDict) -> Choice:
    """The cases that an address means. Raises NoSuchCase for one that this person cannot take."""
    if sent.get("everything"):
        return Choice(acts.EVERYTHING, Case.objects.all(), _("Everything"), "/exports/")
    if page := sent.get("list"):
        return _of_list(person, page, sent.get("query", "")[:2000])
    if ids := sent.get("ids"):
        known = [int(one) for one in ids.split(",")[:MOST_TICKED] if queries.is_number(one)]
        found = Case.objects.filter(pk__in=known)
        told = ngettext("%(n)s case chosen", "%(n)s cases chosen", len(known)) % {"n": len(known)}
        return Choice(acts.CASES, found, told, "/cases/")
    reference = sent.get("case", "").replace("\0", "")
    case = acts.exportable(Caller(person, None)).filter(reference=reference).first()
    if case is None:
        raise NoSuchCase(
            _("There is no case %(reference)s among those that you may take away.")
            % {"reference": reference}
        )
    found = Case.objects.filter(pk=case.pk)
    return Choice(acts.CASE, found, f"{case.reference}, {case.title}", case.get_absolute_url())


def _of_list(person: Person, page: str, query: str) -> Choice:
    asked, now = QueryDict(query), clock.now()
    if page == "work":
        tab, choice = filters.work_choice(asked)
        rows = worklist.chosen_of_all(person, tab=tab, choice=choice, now=now, most=MOST_WORK)
        cases = Case.objects.filter(pk__in={row.case.pk for row in rows})
        chips, name = filters.work_chips(person, asked), _("My work")
    else:
        page = "cases"
        found = queries.chosen_cases(person, filters.case_choice(asked), now)
        cases = Case.objects.filter(pk__in=found.values("pk"))
        chips, name = filters.case_chips(person, asked), _("Cases")
    told = ", ".join([name, *(f"{chip.label}: {chip.value}" for chip in chips)])
    return Choice(acts.LIST, cases, told, f"/{page}/?{query}" if query else f"/{page}/")


def _formats() -> list[tuple[str, Any]]:
    return [(name, one.title) for name, one in formats().items()]


class ExportForm(forms.Form):
    """How cases are taken away, and why."""

    form = forms.ChoiceField(label=gettext_lazy("Format"), choices=_formats)
    people = forms.ChoiceField(
        label=gettext_lazy("Members of staff"),
        choices=[
            (NAMES, gettext_lazy("by name")),
            (CODES, gettext_lazy("by code: whose acts are one person's shows, and not whose")),
        ],
        initial=NAMES,
        widget=forms.RadioSelect,
        help_text=gettext_lazy("Texts that people wrote stay as they are."),
    )
    separator = forms.ChoiceField(
        label=gettext_lazy("CSV: columns are parted by"),
        choices=[
            (",", gettext_lazy("a comma")),
            (";", gettext_lazy("a semicolon, as Excel in much of Europe opens it")),
            ("\t", gettext_lazy("a tab")),
        ],
        required=False,
    )
    bom = forms.BooleanField(
        label=gettext_lazy("CSV: for Excel (UTF-8 with a byte order mark)"),
        initial=True,
        required=False,
    )
    reason = long_text(
        gettext_lazy("Why you take these cases away"),
        help_text=gettext_lazy("It is kept with the export for good, and auditors read it."),
        most=acts.REASON_CHARACTERS,
    )
