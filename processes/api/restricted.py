"""Opening a restricted case for a purpose, as on the page."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from audit import reads
from cases.errors import NoSuchCase
from cases.models import Person
from cases.purposes import PURPOSES
from processes.acts import openings
from processes.api.base import Api
from processes.api.parsing import Strict, body_of
from processes.plain import plain


class Purpose(Strict):
    purpose = s.ChoiceField([*PURPOSES], help_text="For what it is opened.")
    reason = s.CharField(
        max_length=openings.REASON_CHARACTERS, help_text="Why in this case. Its history keeps it."
    )


class OpeningShape(s.Serializer):
    reference = s.CharField()
    purpose = s.CharField()
    until = s.DateTimeField(help_text="Until then the caller reads the case.")


class OpenRestricted(Api):
    acts: ClassVar = {"POST": "read"}
    fields_at: ClassVar = {"*": ""}

    @extend_schema(
        operation_id="open_restricted_case",
        tags=["cases"],
        request=Purpose,
        responses={200: OpeningShape},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Open a restricted case for some hours. Its history tells it, and its caseworker and the
        supervisors of the team are told."""

        def act() -> Response:
            body = body_of(request, Purpose)
            who = self.caller.who
            missing = NoSuchCase(
                _("There is no case %(reference)s among those you may see.")
                % {"reference": reference}
            )
            if not isinstance(who, Person):
                raise missing
            case = openings.case_to_open(who, reference)
            if not self.caller.has_scope("read", case.kind):
                raise missing
            reads.about(case.pk)
            reads.for_purpose(body["purpose"])
            found = openings.open_restricted(case_id=case.pk, actor=self.caller.actor, **body)
            told: dict[str, Any] = {
                "reference": case.reference,
                "purpose": found.purpose,
                "until": plain(found.until),
            }
            return Response(told)

        return self.once(act)
