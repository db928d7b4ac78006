"""Ways back: a closed case opened again, and a wrong act undone."""

from __future__ import annotations

from typing import ClassVar

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from audit.models import Event
from processes.acts import reopening, undoing
from processes.acts.cases import get_case
from processes.api import shapes
from processes.api.base import Api
from processes.api.cases import answer
from processes.api.parsing import Strict, body_of
from processes.api.tasks import Nothing

# Undoing an act needs the scope of the act: by the beginning of its event's type.
_SCOPES = {"facts": "facts", "document": "judge"}


class Reopen(Strict):
    name = s.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=60,
        help_text="The transition, where the kind offers several from this end.",
    )
    reason = s.CharField(max_length=4000, help_text="The customer reads it.")


class ReopenCase(Api):
    acts: ClassVar = {"POST": "move"}

    @extend_schema(
        operation_id="reopen_case",
        tags=["cases"],
        request=Reopen,
        responses={200: shapes.CaseShape},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Open a closed case again, where its kind allows it. Only people do."""

        def act() -> Response:
            body = body_of(request, Reopen)
            case = self.changed(reference)
            reopened = reopening.reopen_case(
                case_id=case.pk,
                name=body["name"],
                reason=body["reason"],
                actor=self.caller.actor,
            )
            return answer(reopened, self.caller)

        return self.once(act)


class UndoEvent(Api):
    acts: ClassVar = {"POST": "read"}

    @extend_schema(
        operation_id="undo_event",
        tags=["cases"],
        request=Nothing,
        responses={200: shapes.CaseShape},
    )
    def post(self, request: Request, reference: str, number: int) -> Response:
        """Take back what an event did, soon after it and while nothing rests on it. Only people
        do; the token needs the scope of the act itself. Nothing is erased."""

        def act() -> Response:
            body_of(request, Nothing)
            case = self.changed(reference)
            known = Event.objects.filter(case_id=case.pk, number=min(number, 2**31 - 1))
            event = known.only("type").first()
            if event is None:
                raise NotFound(
                    _("%(case)s has no event %(number)s; its events are 1 to %(last)s.")
                    % {"case": case, "number": number, "last": case.head_number}
                )
            scope = _SCOPES.get(event.type.partition(".")[0], "tasks")
            self.caller.require_scope(scope, case.kind)
            undoing.undo_event(case_id=case.pk, number=number, actor=self.caller.actor)
            return answer(get_case(case.pk), self.caller)

        return self.once(act)
