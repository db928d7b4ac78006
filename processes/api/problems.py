"""Refusals as problem details (RFC 9457): the sentences of the pages, and one stable type each."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import OperationalError
from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from psycopg.errors import LockNotAvailable
from rest_framework import exceptions
from rest_framework.response import Response

from audit.codec import PayloadTooLarge
from cases.errors import Invalid, MovedOn, Refused, names_of
from cases.models import Case
from processes.kinds import kind_of

MEDIA_TYPE = "application/problem+json"
BASE = "/api/v1/problems/"


class Problem(NamedTuple):
    """One type of problem: its status, its title, and what a caller does about it."""

    status: int
    title: Any
    advice: Any


PROBLEMS: dict[str, Problem] = {
    "malformed": Problem(
        400,
        gettext_lazy("The request cannot be read"),
        gettext_lazy("Mend the request; `errors` names the place."),
    ),
    "not-signed-in": Problem(
        401,
        gettext_lazy("Who calls is not known"),
        gettext_lazy("Send `Authorization: Bearer` with a token that is alive."),
    ),
    "not-allowed": Problem(
        403,
        gettext_lazy("This caller may not do this"),
        gettext_lazy("Ask whoever the sentence names; sending it again changes nothing."),
    ),
    "purpose-needed": Problem(
        403,
        gettext_lazy("The case is restricted"),
        gettext_lazy("Say for what and why: POST to `open` of the case. Then read it again."),
    ),
    "scope-missing": Problem(
        403,
        gettext_lazy("The token does not allow this"),
        gettext_lazy("An administrator adds the scope that the sentence names."),
    ),
    "no-such-case": Problem(
        404,
        gettext_lazy("There is no such case"),
        gettext_lazy("Check the reference. What you may not see is answered in the same way."),
    ),
    "not-found": Problem(
        404, gettext_lazy("There is nothing here"), gettext_lazy("Check the address.")
    ),
    "wrong-method": Problem(
        405, gettext_lazy("The address does not take this method"), gettext_lazy("See `Allow`.")
    ),
    "not-acceptable": Problem(
        406, gettext_lazy("No such representation"), gettext_lazy("Accept application/json.")
    ),
    "case-closed": Problem(
        409,
        gettext_lazy("The case is closed"),
        gettext_lazy("Nothing is taken any more; `case` says how it ended."),
    ),
    "transition-refused": Problem(
        409,
        gettext_lazy("The case cannot take this transition now"),
        gettext_lazy("Read the case; `include=transitions` lists what is possible."),
    ),
    "clock-not-moved": Problem(
        409, gettext_lazy("The clock does not allow this"), gettext_lazy("Read the clock.")
    ),
    "case-held": Problem(
        409,
        gettext_lazy("Somebody else has the case"),
        gettext_lazy("Ask for it, or have a supervisor hand it over."),
    ),
    "task-not-open": Problem(
        409, gettext_lazy("The task is not open"), gettext_lazy("Read the task again.")
    ),
    "task-held": Problem(
        409,
        gettext_lazy("Somebody else has the task"),
        gettext_lazy("Ask for it, or have a supervisor hand it over."),
    ),
    "case-changed": Problem(
        409,
        gettext_lazy("What the decision rests on has changed"),
        gettext_lazy("Read what changed, decide again, and send the new `seen`."),
    ),
    "paper-not-judged": Problem(
        409,
        gettext_lazy("A newer paper is not judged"),
        gettext_lazy("Accept or reject the newest version first."),
    ),
    "cannot-take-back": Problem(
        409,
        gettext_lazy("The decision stands"),
        gettext_lazy("The sentence says what rests on it."),
    ),
    "same-key-other-content": Problem(
        409,
        gettext_lazy("The key was used before, for another content"),
        gettext_lazy("Use a new key for a new call; repeat a call unchanged."),
    ),
    "still-running": Problem(
        409,
        gettext_lazy("The same call is being carried out"),
        gettext_lazy("Send it again, unchanged, after `Retry-After` seconds."),
    ),
    "nothing-to-retry": Problem(
        409, gettext_lazy("It goes on already"), gettext_lazy("Nothing is left to do.")
    ),
    "no-answer-in-code": Problem(
        409,
        gettext_lazy("The step's code has no answer to a failure"),
        gettext_lazy("Try again, or have the code changed; giving up would leave the case still."),
    ),
    "cannot-restart": Problem(
        409,
        gettext_lazy("The step cannot begin anew"),
        gettext_lazy("The sentence says what stands in the way."),
    ),
    "document-damaged": Problem(
        409,
        gettext_lazy("The stored bytes are gone or altered"),
        gettext_lazy("Operators restore them by their digest."),
    ),
    "no-preview": Problem(
        422,
        gettext_lazy("This file cannot be drawn"),
        gettext_lazy("Download it instead."),
    ),
    "letter-gone": Problem(
        409, gettext_lazy("The letter went out"), gettext_lazy("Write another one.")
    ),
    "note-struck": Problem(
        409, gettext_lazy("The note was corrected"), gettext_lazy("Correct the newer one.")
    ),
    "job-over": Problem(
        409, gettext_lazy("The job has ended"), gettext_lazy("Nothing is left to cancel.")
    ),
    "token-over": Problem(409, gettext_lazy("The token is over"), gettext_lazy("Make a new one.")),
    "absence-over": Problem(
        409, gettext_lazy("The absence is over"), gettext_lazy("Nothing is left to change.")
    ),
    "cannot-reopen": Problem(
        409, gettext_lazy("The case cannot be opened again"), gettext_lazy("The sentence says why.")
    ),
    "cannot-undo": Problem(
        409, gettext_lazy("The act stands"), gettext_lazy("The sentence says what rests on it.")
    ),
    "not-now": Problem(
        409,
        gettext_lazy("The case does not wait for this now"),
        gettext_lazy("Read the case again."),
    ),
    "already-held": Problem(
        409, gettext_lazy("The cases are held already"), gettext_lazy("Nothing is left to do.")
    ),
    "not-held": Problem(409, gettext_lazy("No hold stands"), gettext_lazy("Read the case again.")),
    "not-erasable": Problem(
        409,
        gettext_lazy("The case cannot be erased now"),
        gettext_lazy("The sentence says why, and from when."),
    ),
    "nothing-is-due": Problem(
        409, gettext_lazy("No case may be destroyed today"), gettext_lazy("Ask again another day.")
    ),
    "same-hands": Problem(
        403,
        gettext_lazy("A second person approves"),
        gettext_lazy("Let another records manager approve."),
    ),
    "over": Problem(
        409, gettext_lazy("The list was carried out or dropped"), gettext_lazy("Make a new one.")
    ),
    "cannot-take-off": Problem(
        409,
        gettext_lazy("The case is not on the list any more"),
        gettext_lazy("Read the list again."),
    ),
    "document-erased": Problem(
        410, gettext_lazy("The document was erased"), gettext_lazy("It does not come back.")
    ),
    "case-erased": Problem(
        409,
        gettext_lazy("The people of the case were erased"),
        gettext_lazy("Open a new case if there is something to do."),
    ),
    "not-related": Problem(
        409, gettext_lazy("The cases are not related"), gettext_lazy("Read the case again.")
    ),
    "not-sent": Problem(
        503, gettext_lazy("It could not be sent"), gettext_lazy("Send it again later.")
    ),
    "too-many-codes": Problem(
        429, gettext_lazy("No more codes are given for now"), gettext_lazy("Wait, then ask again.")
    ),
    "webhook-ended": Problem(
        409, gettext_lazy("The webhook was ended"), gettext_lazy("Make a new one.")
    ),
    "may-be-the-same": Problem(
        409,
        gettext_lazy("Cases like it are there"),
        gettext_lazy("Look at them; open the case anyway where it is another matter."),
    ),
    "refused": Problem(
        409, gettext_lazy("This cannot be done now"), gettext_lazy("The sentence says why.")
    ),
    "other-offset": Problem(
        409,
        gettext_lazy("The part does not begin where the upload stands"),
        gettext_lazy("Ask with HEAD how many bytes are kept, and go on from there."),
    ),
    "export-gone": Problem(
        410,
        gettext_lazy("There is no file of this export"),
        gettext_lazy("Wait until it is made, or ask for a new one; the sentence says which."),
    ),
    "upload-gone": Problem(
        410, gettext_lazy("The upload was dropped"), gettext_lazy("Begin it anew.")
    ),
    "other-version": Problem(
        412,
        gettext_lazy("This address speaks tus 1.0.0"),
        gettext_lazy("Send `Tus-Resumable: 1.0.0`, or hand the document in by one call."),
    ),
    "checksum-mismatch": Problem(
        460,
        gettext_lazy("The bytes are not those that were sent"),
        gettext_lazy("Send the part again."),
    ),
    "cursor-unknown": Problem(
        410,
        gettext_lazy("The feed has no such place any more"),
        gettext_lazy("Go on from an earlier cursor, or from the beginning; drop what you had."),
    ),
    "moved-on": Problem(
        412,
        gettext_lazy("The case changed after you read it"),
        gettext_lazy("`news` says what changed. Read again, then send with the new ETag."),
    ),
    "too-large": Problem(
        413, gettext_lazy("The content is too large"), gettext_lazy("The sentence names the limit.")
    ),
    "wrong-media-type": Problem(
        415,
        gettext_lazy("This media type is not taken"),
        gettext_lazy("Send application/json; documents as multipart/form-data."),
    ),
    "invalid": Problem(
        422,
        gettext_lazy("Something does not fit"),
        gettext_lazy("`errors` names each field with its sentence."),
    ),
    "precondition-missing": Problem(
        428,
        gettext_lazy("This change needs If-Match"),
        gettext_lazy("Send the ETag of the case that the change was made on."),
    ),
    "too-many": Problem(
        429, gettext_lazy("Too many calls"), gettext_lazy("Wait for `Retry-After` seconds.")
    ),
    "service-silent": Problem(
        503,
        gettext_lazy("A service outside does not answer"),
        gettext_lazy("Nothing was changed; send it again later."),
    ),
    "case-busy": Problem(
        503,
        gettext_lazy("Another act holds the case"),
        gettext_lazy("Nothing was changed; send it again after `Retry-After` seconds."),
    ),
}


class QueryInvalid(Invalid):
    """A parameter of the address does not fit."""

    status = 400
    slug = "malformed"


class HeaderInvalid(Invalid):
    """A header does not fit."""

    status = 400
    slug = "malformed"


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's handler of exceptions. None for what is a fault of ours."""
    view = context["view"]
    if isinstance(error, Refused):
        return _refusal(error, view)
    if isinstance(error, exceptions.ValidationError):
        errors = [{"pointer": at, "detail": said} for at, said in pointers(error.detail)]
        said = " ".join(f"{one['pointer'].removeprefix('#/')}: {one['detail']}" for one in errors)
        return answer("invalid", said, errors=errors[:100])
    if isinstance(error, PayloadTooLarge | RequestDataTooBig):
        return answer("too-large", str(error))
    if isinstance(error, OperationalError) and isinstance(error.__cause__, LockNotAvailable):
        sentence = _("Somebody else is changing this case right now. Nothing was changed.")
        return answer("case-busy", sentence, headers={"Retry-After": "1"})
    if isinstance(error, Http404):
        return answer("not-found", _("There is nothing at this address."))
    if isinstance(error, PermissionDenied):
        return answer("not-allowed", str(error) or _("You may not do this."))
    if isinstance(error, exceptions.APIException):
        return _of_drf(error)
    return None


_DRF = {
    400: "malformed",
    401: "not-signed-in",
    403: "not-allowed",
    404: "not-found",
    405: "wrong-method",
    406: "not-acceptable",
    413: "too-large",
    415: "wrong-media-type",
    429: "too-many",
}


def _of_drf(error: exceptions.APIException) -> Response | None:
    slug = _DRF.get(error.status_code)
    if slug is None:
        return None
    headers = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = error.auth_header
    if getattr(error, "wait", None) is not None:
        headers["Retry-After"] = str(int(error.wait))
    return answer(slug, str(error.detail), headers=headers)


def _refusal(error: Refused, view: Any) -> Response:
    more: dict[str, Any] = {}
    if isinstance(error, Invalid):
        at = getattr(view, "fields_at", {})
        more["errors"] = [
            {"pointer": _pointer(name, at, error), "detail": str(said)}
            for name, said in error.fields.items()
        ]
    if isinstance(error, MovedOn):
        more["news"] = error.news
    if error.status in (409, 412) and getattr(view, "subject", None):
        more["case"] = state_of(view.subject)
    headers = {"Retry-After": "1"} if slug_of(error) in ("case-busy", "still-running") else {}
    return answer(slug_of(error), str(error), status=error.status, headers=headers, **more)


def slug_of(error: Refused) -> str:
    """The type of a refusal: its class, or the nearest one above that has a type."""
    return nearest(names_of(error))


def nearest(names: list[str]) -> str:
    """The first of these names that is a type of problem."""
    return next((one for one in names if one in PROBLEMS), "refused")


def _pointer(name: str, at: dict[str, str], error: Invalid) -> str:
    if isinstance(error, QueryInvalid):
        return f"?{name}"
    if isinstance(error, HeaderInvalid):
        return f"header:{name}"
    where = at.get(name, at.get("*", ""))
    return f"#{where}/{name.replace('~', '~0').replace('/', '~1')}"


def state_of(case_id: int) -> dict[str, Any]:
    """The state that a case is in, as a refusal tells it."""
    case = Case.objects.filter(pk=case_id).first()
    if case is None:
        return {}
    return {
        "reference": case.reference,
        "state": word_of(case),
        "step": case.step,
        "step_label": kind_of(case.kind).step_label(case.step),
        "outcome": case.outcome,
        "version": case.head_number,
    }


def word_of(case: Case) -> str:
    if case.closed_at is not None:
        return "closed"
    return "stopped" if case.stopped_at is not None else "open"


def answer(
    slug: str,
    detail: str,
    *,
    status: int | None = None,
    headers: dict[str, str] | None = None,
    **more: Any,
) -> Response:
    problem = PROBLEMS[slug]
    body = {
        "type": BASE + slug,
        "title": str(problem.title),
        "status": status or problem.status,
        "detail": detail,
        **more,
    }
    return Response(body, status=body["status"], headers=headers, content_type=MEDIA_TYPE)


def pointers(detail: Any, at: str = "#") -> list[tuple[str, str]]:
    """DRF's nested errors as JSON pointers with their sentences."""
    if isinstance(detail, dict):
        found = []
        for name, inner in detail.items():
            here = at if name == "non_field_errors" else f"{at}/{name}"
            found += pointers(inner, here)
        return found
    if isinstance(detail, list):
        if all(isinstance(one, str) for one in detail):
            return [(at, " ".join(str(one) for one in detail))] if detail else []
        return [pair for n, one in enumerate(detail) for pair in pointers(one, f"{at}/{n}") if one]
    return [(at, str(detail))]
