"""The tray: messages from outside that found no case, until a person links them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from cases import access, queries, sentences
from cases.errors import Invalid, NoSuchCase
from cases.forms import LinkMessageForm
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes.acts import messages


@require_safe
@signed_in
def tray(request: HttpRequest) -> HttpResponse:
    """All messages that wait for a person to say where they belong."""
    access.require(actor_of(request), "link message")
    found, page = queries.tray_of(person_of(request)), page_of(request)
    first = (page - 1) * queries.PAGE_ROWS
    rows = list(found[first : first + queries.PAGE_ROWS + 1])
    context = {
        "rows": rows[: queries.PAGE_ROWS],
        "count": queries.count_of(found),
        "page": page,
        "has_next": len(rows) > queries.PAGE_ROWS,
        "section": "tray",
    }
    return render(request, "cases/tray.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def link_message(request: HttpRequest, pk: int) -> HttpResponse:
    """One message, and the form that links it to its case."""
    person = person_of(request)
    access.require(actor_of(request), "link message")
    message = queries.tray_of(person).filter(pk=pk).first()
    if message is None:
        raise NoSuchCase(_("This message is linked already, or is not in the tray."))
    form = LinkMessageForm(request.POST or None)

    def act() -> Answer:
        reference = form.cleaned_data["reference"].strip()
        case = access.visible_cases(person).filter(reference__iexact=reference).first()
        if case is None:
            sentence = _("There is no such case among those you may see.")
            raise Invalid(sentence, {"reference": sentence})
        messages.link_message(message_id=pk, case_id=case.pk, actor=actor_of(request))
        said = _("The message now belongs to %(reference)s.") % {"reference": case.reference}
        return Answer(case.get_absolute_url(), said)

    def show(form: LinkMessageForm, status: int = 200) -> HttpResponse:
        told = [(name, sentences.value(item)) for name, item in message.data.items()]
        context = {"message": message, "told": told, "form": form, "section": "tray"}
        return render(request, "cases/link_message.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
