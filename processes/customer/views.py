"""The pages of the customer: come in with a code, see how it stands, answer, send, withdraw."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from cases.errors import CaseBusy, CaseClosed, Invalid
from cases.models import CustomerPage, Letter
from processes.acts import customer, customer_pages
from processes.customer import addresses, codes, door, reading
from processes.customer.door import SeeOther
from processes.customer.forms import AnswerForm, CodeForm, LostForm, PaperForm, WithdrawForm

BUSY = gettext_lazy(
    "We are working on your case this very moment. Nothing was lost; send it again."
)


@require_http_methods(["GET", "HEAD", "POST"])
@door.private
def lost(request: HttpRequest) -> HttpResponse:
    """Whoever has no address that works asks for a new one. The answer is always the same."""
    form = LostForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        found = customer_pages.page_known_as(**form.cleaned_data)
        if found is not None:
            customer_pages.renew_page(page=found)
        return door.shown(request, "sent", {})
    status = 422 if request.method == "POST" else 200
    return door.shown(request, "lost", {"form": form}, status=status)


@require_safe
@door.at_address
def page(request: HttpRequest, page: CustomerPage, token: str) -> HttpResponse:
    """How it stands; or, for a browser that is not in yet, how to come in."""
    if not codes.is_in(page, door.secret_of(request)):
        return door.shown(request, "enter", {"token": token})
    return _standing(request, page, token, done=door.said(request.GET.get("done", "")))


def _standing(
    request: HttpRequest, page: CustomerPage, token: str, *, done: str = ""
) -> HttpResponse:
    door.note_read(page)
    context = {
        "token": token,
        "given": page,
        "shown": reading.shown(page),
        "sent": reading.sent_papers(page),
        "done": done,
    }
    return door.shown(request, "page", context)


@require_http_methods(["GET", "HEAD", "POST"])
@door.at_address
def code(request: HttpRequest, page: CustomerPage, token: str) -> HttpResponse:
    """Ask for a code (`send`), or come in with it."""
    if request.method == "POST" and "send" in request.POST:
        return _send_code(request, page, token)
    if request.method != "POST":
        if codes.is_in(page, door.secret_of(request)):
            return SeeOther(reverse("customer-page", args=[token]))
        return door.shown(request, "code", {"token": token, "form": CodeForm()})
    form = CodeForm(request.POST)
    if not form.is_valid():
        return door.shown(request, "code", {"token": token, "form": form}, status=422)
    secret = door.secret_of(request)
    if codes.is_in(page, secret):  # sent twice: the first one opened it
        return SeeOther(reverse("customer-page", args=[token]))
    if not door.sent_by_itself(request):
        return door.shown(request, "enter", {"token": token, "why": "cookie"}, status=403)
    entrance = codes.enter(page=page, secret=secret, code=form.cleaned_data["code"])
    if entrance.came is codes.Came.IN:
        response = SeeOther(reverse("customer-page", args=[token]))
        return door.keep_secret(response, token, entrance.secret)
    if entrance.came is codes.Came.OVER:
        return door.shown(request, "enter", {"token": token, "why": "over"}, status=422)
    form.add_error("code", _("This is not the code that we sent last. Look at it again."))
    return door.shown(request, "code", {"token": token, "form": form}, status=422)


def _send_code(request: HttpRequest, page: CustomerPage, token: str) -> HttpResponse:
    try:
        secret = codes.ask_code(page=page)
    except codes.TooManyCodes as refusal:
        context = {"token": token, "why": "many"}
        return door.shown(request, "enter", context, status=refusal.status)
    except codes.NotSent as refusal:
        context = {"token": token, "why": "unsent"}
        return door.shown(request, "enter", context, status=refusal.status)
    response = SeeOther(reverse("customer-code", args=[token]))
    return door.keep_secret(response, token, secret)


@require_http_methods(["GET", "HEAD", "POST"])
@door.inside
def leave(request: HttpRequest, page: CustomerPage, token: str) -> HttpResponse:
    """Close the page in this browser."""
    if request.method != "POST":
        return _standing(request, page, token)
    codes.leave(page, door.secret_of(request))
    response = SeeOther(reverse("customer-page", args=[token]))
    response.delete_cookie(door.COOKIE, path=reverse("customer-page", args=[token]))
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@door.private
def renew(request: HttpRequest, token: str) -> HttpResponse:
    """A new address, sent to where the old one went. The answer is always the same."""
    if request.method != "POST":
        return SeeOther(reverse("customer-page", args=[token]))
    found = addresses.page_at(token)
    if found is not None:
        customer_pages.renew_page(page=found)
    return door.shown(request, "sent", {})


@require_http_methods(["GET", "HEAD", "POST"])
@door.inside
def paper(
    request: HttpRequest, page: CustomerPage, token: str, name: str = customer.OTHER
) -> HttpResponse:
    """Send a paper."""
    stood = reading.shown(page)
    if not stood.case.is_open:
        return door.done(token, "closed")
    form = PaperForm(
        request.POST or None, request.FILES or None, needs=stood.needs, initial={"name": name}
    )
    if request.method == "POST" and form.is_valid():
        try:
            customer.send_paper(
                page=page, name=form.cleaned_data["name"], file=form.cleaned_data["file"]
            )
            return door.done(token, "paper")
        except CaseClosed:
            return door.done(token, "closed")
        except customer.NotNow:
            return door.done(token, "not_now")
        except (Invalid, CaseBusy) as refusal:
            form.add_error("file", str(refusal) if isinstance(refusal, Invalid) else BUSY)
    context = {"token": token, "form": form, "shown": stood}
    return door.shown(request, "paper", context, status=422 if request.method == "POST" else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@door.inside
def answer(request: HttpRequest, page: CustomerPage, token: str, name: str) -> HttpResponse:
    """Tell the case something: fill in, look at what follows, send."""
    stood = reading.shown(page)
    found = stood.page.answer_of(name)
    if found is None or (found not in stood.answers and request.method != "POST"):
        return door.done(token, "not_now")
    form = AnswerForm(request.POST or None, answer=found)
    context = {"token": token, "form": form, "answer": found, "shown": stood, "key": _key(request)}
    visit = context["visit"] = _visit(request, stood.case)
    if request.method != "POST":
        return door.shown(request, "answer", context)
    if form.is_valid() and "sure" not in request.POST and "back" not in request.POST:
        context |= {"follows": form.follows(), "filled": _filled(form)}
        return door.shown(request, "confirm", context)
    if form.is_valid() and "back" not in request.POST:
        sent = _try_answer(page, form, key=str(context["key"]), case=stood.case, visit=visit)
        if sent:
            return door.done(token, sent)
    if "back" in request.POST:
        return door.shown(request, "answer", context)
    return door.shown(request, "answer", context, status=422)


def _try_answer(page: CustomerPage, form: AnswerForm, *, key: str, case: Any, visit: int) -> str:
    """What was done, or "" when the form says what was wrong."""
    try:
        is_new = customer.send_answer(
            page=page, answer=form.answer, data=form.data_for(case, page), key=key, visit=visit
        )
    except CaseClosed:
        return "closed"
    except customer.NotNow:
        return "not_now"
    except CaseBusy:
        form.add_error(None, BUSY)
        return ""
    except Invalid as refusal:
        for name, sentence in refusal.fields.items():
            form.add_error(name if name in form.fields else None, sentence)
        if not refusal.fields:
            form.add_error(None, str(refusal))
        return ""
    return "answer" if is_new else "again"


def _key(request: HttpRequest) -> UUID:
    """The key that this form was rendered with, so that it acts once; or a new one."""
    try:
        return UUID(request.POST.get("key", ""))
    except ValueError:
        return uuid4()


def _visit(request: HttpRequest, case: Any) -> int:
    """The visit of the step that the form was rendered in: an answer is to what was shown."""
    said = request.POST.get("visit", "")
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 10 else int(case.visit)


def _filled(form: Any) -> list[tuple[str, Any, Any]]:
    """What was filled in, as the page of confirmation shows and sends it: name, label, value."""
    shown = []
    for bound in form:
        value = form.cleaned_data.get(bound.name)
        if value not in (None, ""):
            choices = dict(getattr(bound.field, "choices", ()))
            shown.append((bound.label, choices.get(value, bound.value()), bound))
    return shown


@require_http_methods(["GET", "HEAD", "POST"])
@door.inside
def withdraw(request: HttpRequest, page: CustomerPage, token: str) -> HttpResponse:
    """Take the request back: why, what follows, and then for good."""
    stood = reading.shown(page)
    if not stood.can_withdraw:
        return door.done(token, "not_now" if stood.case.is_open else "closed")
    form = WithdrawForm(request.POST or None)
    context = {"token": token, "form": form, "shown": stood}
    if request.method != "POST" or "back" in request.POST:
        return door.shown(request, "withdraw", context)
    if not form.is_valid():
        return door.shown(request, "withdraw", context, status=422)
    if "sure" not in request.POST:
        assert stood.page.withdrawal is not None
        context |= {"follows": stood.page.withdrawal.follows, "filled": _filled(form)}
        return door.shown(request, "confirm", context)
    try:
        customer.withdraw(page=page, reason=form.cleaned_data["reason"])
    except (customer.NotNow, CaseClosed):
        return door.done(token, "not_now")
    except CaseBusy:
        form.add_error(None, BUSY)
        return door.shown(request, "withdraw", context, status=503)
    return door.done(token, "withdrawn")


@require_safe
@door.inside
def letter(request: HttpRequest, page: CustomerPage, token: str, pk: int) -> HttpResponse:
    """One letter that was written to this customer."""
    found = Letter.objects.filter(pk=pk, case_id=page.case_id, party=page.party).first()
    if found is None:
        return door.shown(request, "gone", {"why": "letter", "token": token}, status=404)
    return door.shown(request, "letter", {"token": token, "letter": found})
