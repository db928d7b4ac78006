"""Letters: written from a template with a preview, looked at, sent again, posted."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from cases import access, queries, tags
from cases.errors import NoSuchCase, Refused
from cases.models import Case, Letter, Person
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.drafting import filled_in
from cases.views.letter_forms import LetterForm, PostedForm, TryAgainForm
from cases.views.pages import case_for, head_of, words_of
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from cases.words import Words
from processes import lettertexts
from processes.acts import letters
from processes.kinds import kind_of
from processes.letters import Correspondent


def visible_letters(person: Person) -> QuerySet[Letter]:
    """Letters of the cases that a person may see, and answers to messages for those who link."""
    seen = Q(case__in=access.visible_cases(person))
    if access.may(person, "link message"):
        seen |= Q(case=None)
    return Letter.objects.filter(seen).select_related("case", "version__template")


def letter_for(person: Person, pk: int) -> Letter:
    found = visible_letters(person).filter(pk=pk).first()
    if found is None:
        raise NoSuchCase(_("There is no such letter among the cases you may see."))
    if found.case is not None:
        access.note_read(person, found.case)
    return found


@require_http_methods(["GET", "POST"])
@signed_in
def write(request: HttpRequest, reference: str) -> HttpResponse:
    """Choose a template, change what it says for this case, look at it, send it."""
    person = person_of(request)
    case = case_for(person, reference)
    access.require(actor_of(request), "work on case", case)
    choices = lettertexts.choices_for(case.kind)
    code = request.POST.get("template", request.GET.get("template", ""))
    chosen = next((one for one in choices if one.code == code), None)
    filled = filled_for(case, chosen) if chosen else None
    to = getattr(case, "correspondent", None) or Correspondent(case.title, "")
    initial = {"to_name": to.name, "to_email": to.email}
    if filled is not None:
        initial |= {"subject": filled.subject, "text": filled.text}
    form = LetterForm(request.POST or None, initial=initial)

    def act() -> Answer:
        given = form.cleaned_data
        letter = letters.write_letter(
            case_id=case.pk,
            to=Correspondent(given["to_name"], given["to_email"]),
            subject=given["subject"],
            text=given["text"],
            actor=actor_of(request),
            version=chosen.version if chosen else None,
        )
        said = _("The letter is kept and will be mailed.")
        if not letter.to_email:
            said = _("The letter is kept, and the post room sees it.")
        return Answer(letter.get_absolute_url(), said)

    def show(form: LetterForm, status: int = 200, preview: bool = False) -> HttpResponse:
        context = {
            **head_of(request, case_for(person, reference)),
            "form": form,
            "choices": choices,
            "chosen": chosen,
            "empty": filled.empty if filled and not request.POST else [],
            "preview": form.cleaned_data if preview else None,
            "draft": filled_in(request, form) if not chosen else None,
        }
        return render(request, "cases/write_letter.html", context, status=status)

    if request.method != "POST":
        return show(form)
    if request.POST.get("do") == "preview":
        is_whole = form.is_valid()
        return show(form, 200 if is_whole else 422, preview=is_whole)
    return carry_out(request, form=form, act=act, show=show)


def filled_for(case: Case, chosen: lettertexts.Choice) -> lettertexts.Filled:
    """A template with what this case says, in the language of the template."""
    file, kind = queries.case_file(case), kind_of(case.kind)
    with translation.override(chosen.language or translation.get_language()):
        fields = lettertexts.fields_of(
            case, kind=kind, words=words_of(case, file, kind), requirements=file.requirements
        )
    return lettertexts.fill(subject=chosen.subject, text=chosen.text, fields=fields)


@require_http_methods(["GET", "POST"])
@signed_in
def letter(request: HttpRequest, pk: int) -> HttpResponse:
    """A letter as it was written, how far it is, and the form that sends it again."""
    person = person_of(request)
    found = letter_for(person, pk)
    form = TryAgainForm(request.POST or None, initial={"to_email": found.to_email})

    def act() -> Answer:
        address = form.cleaned_data["to_email"]
        letters.try_again(letter_id=pk, to_email=address, actor=actor_of(request))
        return Answer(found.get_absolute_url(), _("The letter is sent again now."))

    def show(form: TryAgainForm, status: int = 200) -> HttpResponse:
        fresh = letter_for(person, pk)
        codes = [fresh.written_by or "engine", fresh.sent_by or "engine"]
        people = queries.people_named(codes)
        kind = kind_of(fresh.case.kind) if fresh.case else None
        names = [Words(kind, people=people).actor(code) for code in codes]  # type: ignore[arg-type]
        context = {
            "letter": fresh,
            "form": form,
            "tag": tags.letter_tag(fresh),
            "written_by": names[0],
            "sent_by": names[1] if fresh.sent_by else "",
            "may_act": fresh.sent_at is None and _may_act(person, fresh),
            "section": "letters",
        }
        return render(request, "cases/letter.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _may_act(person: Person, found: Letter) -> bool:
    if found.case is None:
        return access.may(person, "link message")
    return access.may(person, "work on case", found.case)


STATES = ("to_post", "undelivered", "due")


@require_http_methods(["GET", "POST"])
@signed_in
def post_room(request: HttpRequest) -> HttpResponse:
    """Letters that did not go out: to be posted, not deliverable, still to be mailed."""
    person = person_of(request)
    access.require(actor_of(request), "post letters")
    state = request.GET.get("state", "to_post")
    state = state if state in STATES else "to_post"
    found = visible_letters(person).filter(state=state).order_by("written_at", "pk")
    page = page_of(request)
    first = (page - 1) * queries.PAGE_ROWS
    rows = list(found[first : first + queries.PAGE_ROWS + 1])
    form = PostedForm(request.POST or None, numbers=[one.pk for one in rows])

    def act() -> Answer:
        results = [_post(request, number) for number in form.cleaned_data["letters"]]
        posted = sum(not one for one in results)
        said = ngettext(
            "%(n)s letter is marked as posted.", "%(n)s letters are marked as posted.", posted
        ) % {"n": posted}
        return Answer(reverse("post-room"), " ".join([said, *filter(None, results)])[:2000])

    def show(form: PostedForm, status: int = 200) -> HttpResponse:
        context = {
            "rows": [(one, tags.letter_tag(one)) for one in rows[: queries.PAGE_ROWS]],
            "state": state,
            "form": form,
            "count": queries.count_of(found),
            "page": page,
            "has_next": len(rows) > queries.PAGE_ROWS,
            "address": f"state={state}",
            "section": "letters",
        }
        return render(request, "cases/post_room.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show, apart=True)
    return show(form)


def _post(request: HttpRequest, number: int) -> str:
    """Mark one as posted; returns why not."""
    try:
        letters.mark_posted(letter_id=number, actor=actor_of(request))
    except Refused as refusal:
        return str(refusal)
    return ""
