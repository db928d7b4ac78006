"""The pages of webhooks: where events are sent, whether they arrive, and what was answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.errors import NoSuchCase
from cases.forms import EmptyForm
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.signing import actor_of, signed_in
from cases.views.work import page_of
from processes.acts import webhooks as acts
from processes.models import Webhook
from processes.webhooks import delivering
from processes.webhooks.forms import ChangeForm, MakeForm, ReplayForm, RotateForm

MOST = 500
PAGE_ROWS = 50
# What may be done by a button alone: the word on it, what is said then, and the act.
ACTS: dict[str, tuple[Any, Any, Callable[..., Webhook]]] = {
    "test": (
        gettext_lazy("Send a test"),
        gettext_lazy("A test is sent within moments; look at the tries."),
        acts.test_webhook,
    ),
    "pause": (gettext_lazy("Pause"), gettext_lazy("The webhook is paused."), acts.pause_webhook),
    "resume": (
        gettext_lazy("Resume"),
        gettext_lazy("The webhook goes on from where it stood."),
        acts.resume_webhook,
    ),
    "end": (gettext_lazy("End for good"), gettext_lazy("The webhook is ended."), acts.end_webhook),
}


@require_http_methods(["GET", "POST"])
@signed_in
def webhooks(request: HttpRequest) -> HttpResponse:
    """All webhooks, and a form for a new one."""
    access.require(actor_of(request), "manage clients")
    form = MakeForm(request.POST or None)

    def act() -> Answer:
        made = acts.make_webhook(actor=actor_of(request), **form.cleaned_data)
        return Answer(reverse("webhook", args=[made.pk]), _("The webhook is made."))

    def show(form: MakeForm, status: int = 200) -> HttpResponse:
        hooks = list(Webhook.objects.select_related("client").order_by("-pk")[:MOST])
        behind = delivering.behind(hooks)
        context = {"form": form, "rows": [(one, behind[one.pk]) for one in hooks]}
        return render(request, "processes/webhooks/list.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_safe
@signed_in
def webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """One webhook: how it stands, and each try."""
    hook, page = _one(request, pk), page_of(request)
    first = (page - 1) * PAGE_ROWS
    tries = list(hook.attempts.order_by("-pk")[first : first + PAGE_ROWS + 1])
    context = {
        "hook": hook,
        "behind": delivering.behind([hook])[hook.pk],
        "tries": tries[:PAGE_ROWS],
        "page": page,
        "has_next": len(tries) > PAGE_ROWS,
    }
    return render(request, "processes/webhooks/webhook.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def change(request: HttpRequest, pk: int) -> HttpResponse:
    """Where events are sent, and which."""
    hook = _one(request, pk)
    form = ChangeForm(
        request.POST or None,
        initial={
            "url": hook.url,
            "title": hook.title,
            "kinds": " ".join(hook.kinds),
            "types": " ".join(hook.types),
        },
    )
    return _form(request, hook, form, acts.change_webhook, _("Change"), _("It is changed."))


@require_http_methods(["GET", "POST"])
@signed_in
def secret(request: HttpRequest, pk: int) -> HttpResponse:
    """The secret that the receiver checks signatures with, and changing it."""
    hook = _one(request, pk)
    form = RotateForm(request.POST or None)
    more = {"secrets": acts.secrets_told(webhook_id=pk, actor=actor_of(request))}
    said = _("The secret is changed. Give the new one to the receiver.")
    back = reverse("webhook-secret", args=[pk])
    return _form(
        request, hook, form, acts.rotate_secret, _("Change the secret"), said, back=back, more=more
    )


@require_http_methods(["GET", "POST"])
@signed_in
def replay(request: HttpRequest, pk: int) -> HttpResponse:
    """Send again from a moment or a place on."""
    hook = _one(request, pk)
    form = ReplayForm(request.POST or None)
    said = _("It is sent again from there on.")
    return _form(request, hook, form, acts.replay_webhook, _("Send again"), said)


@require_http_methods(["GET", "POST"])
@signed_in
def act(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """What a button alone does."""
    hook = _one(request, pk)
    if name not in ACTS:
        raise NoSuchCase(_("A webhook has no such act."))
    verb, said, do = ACTS[name]
    return _form(request, hook, EmptyForm(request.POST or None), do, str(verb), str(said))


def _form(
    request: HttpRequest,
    hook: Webhook,
    form: Any,
    do: Callable[..., Webhook],
    verb: str,
    said: str,
    *,
    back: str = "",
    more: dict[str, Any] | None = None,
) -> HttpResponse:
    def act() -> Answer:
        given = {k: v for k, v in form.cleaned_data.items() if k not in ("key", "seen", "for")}
        do(webhook_id=hook.pk, actor=actor_of(request), **given)
        return Answer(back or reverse("webhook", args=[hook.pk]), said)

    def show(form: Any, status: int = 200) -> HttpResponse:
        context = {"hook": hook, "form": form, "verb": verb, **(more or {})}
        return render(request, "processes/webhooks/act.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _one(request: HttpRequest, pk: int) -> Webhook:
    access.require(actor_of(request), "manage clients")
    found = Webhook.objects.select_related("client").filter(pk=min(pk, 2**63 - 1)).first()
    if found is None:
        raise NoSuchCase(_("There is no webhook %(number)s.") % {"number": pk})
    return found
