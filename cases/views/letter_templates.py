"""The organisation's letter templates, for administrators: list, write, preview, versions."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.errors import Invalid, NoSuchCase, Refused
from cases.forms import EmptyForm
from cases.models import LetterTemplate, Person
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.letter_forms import TemplateForm
from cases.views.letters import filled_for
from cases.views.pages import case_for
from cases.views.signing import actor_of, person_of, signed_in
from processes import inventedcase, lettertexts
from processes.acts import letters
from processes.kinds import kinds


@require_safe
@signed_in
def template_list(request: HttpRequest) -> HttpResponse:
    """All templates, with their kind, language and state."""
    access.require(actor_of(request), "change letters")
    rows = LetterTemplate.objects.order_by("title", "language", "pk")
    told = [(one, lettertexts.kind_words(one.kind) if one.kind else "") for one in rows]
    return render(request, "cases/letter_templates.html", {"rows": told})


@require_http_methods(["GET", "POST"])
@signed_in
def template(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Write a template, or a new version of one, after a look at it with a case."""
    person = person_of(request)
    access.require(actor_of(request), "change letters")
    found = LetterTemplate.objects.filter(pk=pk).first() if pk else None
    if pk and found is None:
        raise NoSuchCase(_("There is no such letter template."))
    newest = lettertexts.newest_version(found) if found else None
    initial = {"language": settings.LANGUAGE_CODE}
    if found is not None and newest is not None:
        initial = {"title": found.title, "subject": newest.subject, "text": newest.text}
    names = sorted((name, str(kind.title)) for name, kind in kinds().items())
    form = TemplateForm(request.POST or None, initial=initial, kinds=names, is_new=found is None)
    kind = found.kind if found else request.POST.get("kind", "")

    def act() -> Answer:
        given = form.cleaned_data
        version = letters.save_template(
            kind=kind,
            language=found.language if found else given["language"],
            title=given["title"],
            subject=given["subject"],
            text=given["text"].replace("\r\n", "\n"),
            actor=actor_of(request),
            template=found,
        )
        said = _("Version %(n)s of “%(title)s” is used from now on.")
        told = {"n": version.version, "title": version.template.title}
        return Answer(version.template.get_absolute_url(), said % told)

    def show(
        form: TemplateForm, status: int = 200, preview: lettertexts.Filled | None = None
    ) -> HttpResponse:
        context = {
            "template": found,
            "form": form,
            "preview": preview,
            "is_invented": not form["case"].value(),
            "fields": lettertexts.known_fields(kind if kind in kinds() else "").items(),
            "versions": found.versions.select_related("written_by").order_by("-version")[:50]
            if found
            else [],
        }
        return render(request, "cases/letter_template.html", context, status=status)

    if request.method != "POST":
        return show(form)
    if request.POST.get("do") == "preview":
        preview = _preview(person, form, kind, found.language if found else "")
        return show(form, 200 if preview else 422, preview)
    return carry_out(request, form=form, act=act, show=show)


def _preview(
    person: Person, form: TemplateForm, kind: str, language: str
) -> lettertexts.Filled | None:
    """The template with a case of the reader's, or an invented one where none is named; what is
    wrong stands on the form."""
    if not form.is_valid():
        return None
    given = form.cleaned_data
    try:
        lettertexts.check(kind=kind, subject=given["subject"], text=given["text"])
        language = given.get("language", language)
        chosen = lettertexts.Choice("", given["title"], language, given["subject"], given["text"])
        if not given["case"].strip():
            return inventedcase.fill(kind=kind, chosen=chosen)
        case = case_for(person, given["case"].strip().upper())
    except Invalid as error:
        for name, sentence in error.fields.items():
            form.add_error(name if name in form.fields else None, sentence)
        return None
    except Refused as refusal:
        form.add_error("case", str(refusal))
        return None
    if kind and case.kind != kind:
        form.add_error("case", _("This case is of another kind."))
        return None
    return filled_for(case, chosen)


@require_http_methods(["GET", "POST"])
@signed_in
def retire(request: HttpRequest, pk: int) -> HttpResponse:
    """Offer a template no longer."""
    access.require(actor_of(request), "change letters")
    found = LetterTemplate.objects.filter(pk=pk).first()
    if found is None:
        raise NoSuchCase(_("There is no such letter template."))
    form = EmptyForm(request.POST or None)

    def act() -> Answer:
        letters.retire_template(template_id=pk, actor=actor_of(request))
        said = _("“%(title)s” is no longer offered. What was written from it stays.")
        return Answer(reverse("letter-templates"), said % {"title": found.title})

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        context = {"template": found, "form": form}
        return render(request, "cases/retire_template.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
