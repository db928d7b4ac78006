"""Lists that a person keeps under a name: save, rename, share, begin with, remove."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.forms import EmptyForm, SavedListForm
from cases.once import Answer
from cases.views import filters
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import lists


@require_safe
@signed_in
def saved_lists(request: HttpRequest) -> HttpResponse:
    """A person's lists, and those of their team."""
    context = {"lists": lists.lists_of(person_of(request)), "section": "work"}
    return render(request, "cases/saved_lists.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def save_list(request: HttpRequest) -> HttpResponse:
    """Keep the list that somebody looks at under a name."""
    person = person_of(request)
    sent = request.POST or request.GET
    page = sent.get("list", "work")
    page = page if page in lists.PAGES else "work"
    query = filters.kept(QueryDict(sent.get("query", "")[:2000]), page)
    form = SavedListForm(request.POST or None, team=person.team)

    def act() -> Answer:
        saved = lists.save_list(
            name=form.cleaned_data["name"],
            page=page,
            query=query,
            shared=form.cleaned_data.get("shared", False),
            start=form.cleaned_data["start"],
            actor=actor_of(request),
        )
        return Answer(saved.address, _("“%(name)s” is kept.") % {"name": saved.name})

    def show(form: SavedListForm, status: int = 200) -> HttpResponse:
        context = {
            "form": form,
            "page": page,
            "query": query,
            "chips": told(request, page, query),
            "back": f"/{page}/?{query}" if query else f"/{page}/",
            "section": "work",
        }
        return render(request, "cases/save_list.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def told(request: HttpRequest, page: str, query: str) -> list[filters.Chip]:
    """The filters of a list in words."""
    asked, person = QueryDict(query), person_of(request)
    if page == "cases":
        return filters.case_chips(person, asked)
    return filters.work_chips(person, asked)


@require_http_methods(["GET", "POST"])
@signed_in
def change_list(request: HttpRequest, pk: int) -> HttpResponse:
    """Rename a list, share it or not, begin with it or not."""
    person = person_of(request)
    saved = get_object_or_404(lists.lists_of(person), pk=pk)
    is_mine = access.may(person, "change list", saved)
    initial = {
        "name": saved.name,
        "shared": saved.team_id is not None,
        "start": person.start_list_id == saved.pk,
    }
    form = SavedListForm(request.POST or None, initial=initial, team=person.team, own=is_mine)

    def act() -> Answer:
        lists.change_list(
            saved=saved,
            name=form.cleaned_data.get("name", ""),
            shared=form.cleaned_data.get("shared", False),
            start=form.cleaned_data["start"],
            actor=actor_of(request),
        )
        return Answer(reverse("saved-lists"), _("“%(name)s” is kept.") % {"name": saved.name})

    def show(form: SavedListForm, status: int = 200) -> HttpResponse:
        context = {
            "saved": saved,
            "form": form,
            "is_mine": is_mine,
            "chips": told(request, saved.page, saved.query),
            "section": "work",
        }
        return render(request, "cases/change_list.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def remove_list(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a list away; the cases on it stay as they are."""
    saved = lists.lists_of(person_of(request)).filter(pk=pk).first()

    def act() -> Answer:
        if saved is not None:
            lists.remove_list(saved=saved, actor=actor_of(request))
        return Answer(reverse("saved-lists"), _("The list is gone."))

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        return redirect("saved-lists")

    if request.method == "POST":
        return carry_out(request, form=EmptyForm(request.POST), act=act, show=show)
    return redirect("saved-lists")
