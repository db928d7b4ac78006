"""One act on the rows that were chosen on a list: look first, then do it, then see each result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Case as Choose
from django.db.models import Count, When
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from cases import queries, worklist
from cases.absence import away_now
from cases.caselist import first_cases
from cases.errors import NoSuchCase, Refused
from cases.forms import BulkHandOverForm, BulkRemindForm, EmptyForm
from cases.models import BulkAct, Person, Task
from cases.once import Answer
from cases.views import filters
from cases.views.acting import SeeOther, carry_out
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes.acts import bulk
from processes.acts.bulk import HAND_OVER, MOST_ROWS, REMIND, Looked, Picked
from processes.work import bulkacts
from timers import clock

DONE_AT_ONCE_SECONDS = 3.0  # what takes longer, a worker carries on
QUEUE = "queue"
EXPORT = "export"


@require_http_methods(["GET", "POST"])
@signed_in
def chosen_list(request: HttpRequest) -> HttpResponse:
    """What this person did to many rows lately; a POST chooses rows for one more act."""

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        acts = BulkAct.objects.filter(person=person_of(request), begun_at__isnull=False)
        context = {
            "form": form,
            "back": _back(request),
            "acts": acts.annotate(count=Count("rows")).order_by("-pk")[: queries.PAGE_ROWS],
            "section": "work",
        }
        return render(request, "cases/chosen_list.html", context, status=status)

    form = EmptyForm(request.POST or None)
    if request.method == "GET":
        return show(form)
    # Choosing changes nothing yet: who goes back and chooses others has another choice to look at.
    rows, left_out = _picked(request)
    if request.POST.get("what") == EXPORT and rows:
        return SeeOther(_export_of(request, rows))
    try:
        chosen = bulk.choose(
            what=request.POST.get("what", ""),
            rows=rows,
            left_out=left_out,
            back=_back(request),
            actor=actor_of(request),
        )
    except Refused as refusal:
        form.is_valid()
        form.add_error(None, str(refusal))
        return show(form, refusal.status)
    return SeeOther(chosen.get_absolute_url())


def _export_of(request: HttpRequest, rows: Sequence[Picked]) -> str:
    """Where an export of these rows is asked for; of a whole list, by its filters."""
    if request.POST.get("scope") == "all":
        query = QueryDict(mutable=True)
        query.update({name: request.POST.get(name, "") for name in ("list", "query")})
        return f"{reverse('new-export')}?{query.urlencode()}"
    cases = [one.case_id for one in rows if one.case_id]
    tasks = [one.task_id for one in rows if one.task_id]
    cases += Task.objects.filter(pk__in=tasks).values_list("case", flat=True)
    return f"{reverse('new-export')}?ids={','.join(map(str, dict.fromkeys(cases)))}"


def _back(request: HttpRequest) -> str:
    """The list that the rows were chosen from, with its filters."""
    back = request.POST.get("back", "")[:1000]
    return back if url_has_allowed_host_and_scheme(back, allowed_hosts=None) else "/work/"


def _picked(request: HttpRequest) -> tuple[list[Picked], int]:
    """The rows that a form means: those ticked, those of its page, or all of its list."""
    sent = request.POST
    match sent.get("scope", "ticked"):
        case "page":
            return _read(sent.getlist("shown")), 0
        case "all":
            return _all_of(request, QueryDict(sent.get("query", "")[:2000]))
    return _read(sent.getlist("row")), 0


def _read(keys: Sequence[str]) -> list[Picked]:
    """Rows as a form names them: "c12.45" is case 12, seen up to its event 45."""
    rows = []
    for key in keys[: MOST_ROWS + 1]:
        which, _dot, seen = key.partition(".")
        if which[:1] in ("c", "t") and queries.is_number(which[1:]) and queries.is_number(seen):
            pk = int(which[1:])
            if which[0] == "c":
                rows.append(Picked(case_id=pk, seen_number=min(int(seen), 2**31 - 1)))
            else:
                rows.append(Picked(task_id=pk, seen_number=min(int(seen), 2**31 - 1)))
    return rows


def _all_of(request: HttpRequest, query: QueryDict) -> tuple[list[Picked], int]:
    """Everything that a list holds now, up to the most that one act takes."""
    person, now = person_of(request), clock.now()
    if request.POST.get("list") == "cases":
        found = first_cases(person, filters.case_choice(query), now, most=MOST_ROWS + 1)
        rows = [Picked(case_id=case.pk, seen_number=case.head_number) for case in found]
    else:
        tab, choice = filters.work_choice(query)
        most = MOST_ROWS + 1
        lines = worklist.chosen_of_all(person, tab=tab, choice=choice, now=now, most=most)
        rows = _read([row.key for row in lines])
    return rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS)


# -- one act


@require_http_methods(["GET", "POST"])
@signed_in
def chosen(request: HttpRequest, pk: int) -> HttpResponse:
    """What would become of each row, and the form that lets it begin; then what became of it."""
    act = _act_for(request, pk)
    if act.begun_at is not None:
        if request.method == "POST":
            return redirect(act)
        return _show_results(request, act)
    form = _form_of(request, act)

    def begin() -> Answer:
        bulk.begin(act=act, asked=_asked(act.what, form), actor=actor_of(request))
        return Answer(act.get_absolute_url())

    def show(form: Any, status: int = 200) -> HttpResponse:
        return _show_preview(request, act, form, status)

    if request.method == "POST" and "look" not in request.POST:
        response = carry_out(request, form=form, act=begin, show=show)
        if isinstance(response, SeeOther):
            _go_on(act)
        return response
    return show(form)


def _act_for(request: HttpRequest, pk: int) -> BulkAct:
    act = BulkAct.objects.filter(pk=pk, person=person_of(request)).first()
    if act is None:
        raise NoSuchCase(_("There is no such choice of yours; those of the last months are kept."))
    return act


def _go_on(act: BulkAct) -> None:
    """Do as much as somebody waits for; a worker has the rest."""
    if not bulkacts.carry_on(act.pk, seconds=DONE_AT_ONCE_SECONDS):
        bulkacts.publish(act.pk)


def _form_of(request: HttpRequest, act: BulkAct) -> Any:
    data = request.POST or None
    if act.what == HAND_OVER:
        return BulkHandOverForm(data, initial=_as_initial(act), people=_takers(request, act))
    if act.what == REMIND:
        return BulkRemindForm(data, initial=act.asked)
    return EmptyForm(data)


def _as_initial(act: BulkAct) -> dict[str, Any]:
    asked = act.asked or {}
    return {**asked, "to": QUEUE if asked.get("queue") else str(asked.get("to") or "")}


def _takers(request: HttpRequest, act: BulkAct) -> list[tuple[str, str]]:
    """Who can be given these rows: people of the teams and of the roles that the tasks are for."""
    person = person_of(request)
    roles = set(act.rows.filter(task__isnull=False).values_list("task__role", flat=True))
    people = {one.pk: one for one in queries.colleagues(person)}
    if roles:
        able = Person.objects.filter(is_active=True, groups__name__in=roles).distinct()
        people |= {one.pk: one for one in able.order_by("last_name", "first_name", "username")}
    away = away_now(people)
    named = []
    for pk, one in people.items():
        words = str(one)
        if pk in away:
            told = {"who": one, "day": filters.day(away[pk].until_date)}
            words = _("%(who)s (away until %(day)s)") % told
        named.append((str(pk), words))
    return [(QUEUE, _("The queue: nobody has it")), *named]


def _asked(what: str, form: Any) -> dict[str, Any]:
    """What a form asks of an act, as far as it says; also of one that is not valid yet."""
    if not form.is_bound:
        given = form.initial or {}
        to = str(given.get("to") or "")
    else:
        form.is_valid()
        given, to = form.cleaned_data, str(form.cleaned_data.get("to") or "")
    if what == HAND_OVER:
        number = int(to) if queries.is_number(to) else None
        return {"to": number, "queue": to == QUEUE, "reason": str(given.get("reason", ""))}
    if what == REMIND:
        return {"day": given.get("day"), "text": " ".join(str(given.get("text", "")).split())}
    return {}


def _show_preview(request: HttpRequest, act: BulkAct, form: Any, status: int) -> HttpResponse:
    asked = _asked(act.what, form)
    if "look" in request.POST:
        form.errors.clear()  # looking asks for nothing yet
    looked = bulk.look(act=act, actor=actor_of(request), asked=asked)
    counts = {word: sum(one.verdict == word for one in looked) for word in _VERDICTS}
    first = (page_of(request) - 1) * queries.PAGE_ROWS
    # What will not work comes first: it is what somebody has to think about.
    looked.sort(key=lambda one: (_VERDICTS.index(one.verdict), one.row.place))
    context = {
        "act": act,
        "form": form,
        "counts": counts,
        "total": len(looked),
        "rows": [_as_told(one) for one in looked[first : first + queries.PAGE_ROWS]],
        "page": page_of(request),
        "has_next": len(looked) > first + queries.PAGE_ROWS,
        "section": "work",
    }
    return render(request, "cases/chosen.html", context, status=status)


_VERDICTS = ("refused", "already", "done")


def _as_told(one: Looked) -> dict[str, Any]:
    return {"case": one.case, "task": one.task, "result": one.verdict, "sentence": one.sentence}


_RANKED = ("refused", "", "already", "done")


def _show_results(request: HttpRequest, act: BulkAct) -> HttpResponse:
    person = person_of(request)
    counts = dict(act.rows.values_list("result").annotate(n=Count("pk")).order_by())
    first = (page_of(request) - 1) * queries.PAGE_ROWS
    # What needs somebody comes first.
    ranks = [When(result=word, then=rank) for rank, word in enumerate(_RANKED)]
    rows = act.rows.annotate(rank=Choose(*ranks, default=0)).order_by("rank", "place")
    shown = list(rows.select_related("task")[first : first + queries.PAGE_ROWS + 1])
    seen = queries.cases_seen(person, [row.case_id for row in shown if row.case_id])
    told = [
        {
            "case": case,
            "task": row.task if case else None,
            "result": row.result or "open",
            "sentence": row.sentence,
        }
        for row in shown[: queries.PAGE_ROWS]
        for case in [seen.get(row.case_id or 0)]
    ]
    context = {
        "act": act,
        "form": EmptyForm(),
        "counts": {"open": counts.get("", 0), **counts},
        "total": sum(counts.values()),
        "to": Person.objects.filter(pk=act.asked.get("to") or 0).first(),
        "rows": told,
        "page": page_of(request),
        "has_next": len(shown) > queries.PAGE_ROWS,
        "section": "work",
    }
    return render(request, "cases/chosen_results.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def go_on(request: HttpRequest, pk: int) -> HttpResponse:
    """Carry on an act that has stopped on its way. What was done stays done."""
    act = _act_for(request, pk)
    if request.method == "POST" and act.begun_at is not None:
        _go_on(act)
    return redirect(act)


@require_http_methods(["GET", "POST"])
@signed_in
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose those that were refused once more, as they stand now."""
    act = _act_for(request, pk)

    def choose() -> Answer:
        return Answer(bulk.choose_refused(act=act, actor=actor_of(request)).get_absolute_url())

    def show(form: Any, status: int = 200) -> HttpResponse:
        return redirect(act)

    if request.method == "POST":
        form = EmptyForm(request.POST)
        return carry_out(request, form=form, act=choose, show=show)
    return redirect(reverse("chosen", args=[act.pk]))
