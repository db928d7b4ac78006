"""What a person was told: all of it, read and unread; and what they want to be told."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from cases import noticeboard
from cases.forms import EmptyForm, NoticeForm
from cases.models import Digest, MutedKind
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.signing import person_of, signed_in
from cases.views.work import page_of

ROWS = 50


@require_http_methods(["GET", "POST"])
@signed_in
def all_notices(request: HttpRequest) -> HttpResponse:
    """All notices, newest first; sent, those that were shown count as read."""
    person = person_of(request)
    only_unread = request.GET.get("show", "unread") == "unread"
    found = noticeboard.unread(person) if only_unread else noticeboard.meant_for(person)
    form = EmptyForm(request.POST or None)

    def act() -> Answer:
        shown = [int(one) for one in request.POST.getlist("notice") if _is_number(one)]
        n = noticeboard.mark_read(person, shown)
        said = ngettext("%(n)s notice is read.", "%(n)s notices are read.", n) % {"n": n}
        return Answer(request.get_full_path(), said)

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        page = page_of(request)
        rows = found.select_related("case", "person")[(page - 1) * ROWS : page * ROWS + 1]
        notices = list(rows)
        context = {
            "form": form,
            "page": page,
            "has_next": len(notices) > ROWS,
            "address": "" if only_unread else "show=all",
            "notices": notices[:ROWS],
            "only_unread": only_unread,
            "section": "notices",
        }
        return render(request, "cases/notices.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _is_number(sent: str) -> bool:
    return sent.isascii() and sent.isdecimal() and len(sent) < 18


@require_http_methods(["GET", "POST"])
@signed_in
def my_wishes(request: HttpRequest) -> HttpResponse:
    """Which kinds of notices a person mutes, and how often the rest comes by mail."""
    person = person_of(request)
    now: dict[str, Any] = {"digest": person.digest}
    now["muted"] = list(MutedKind.objects.filter(person=person).values_list("kind", flat=True))
    form = NoticeForm(request.POST or None, kinds=noticeboard.KINDS, initial=now)

    def act() -> Answer:
        person.digest = Digest.How(form.cleaned_data["digest"])
        person.save(update_fields=["digest"])
        noticeboard.mute(person, form.cleaned_data["muted"])
        return Answer(reverse("notice-settings"), _("Your wishes are kept."))

    def show(form: NoticeForm, status: int = 200) -> HttpResponse:
        context = {"form": form, "has_mail": bool(person.email)}
        return render(request, "cases/notice_settings.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
