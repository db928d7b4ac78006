"""Tasks: read freely, changed only by named acts. Only people hold tasks."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import F
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from cases import access
from cases.errors import Invalid
from cases.models import Person, Task
from processes.acts import advice, decisions
from processes.acts import tasks as acts
from processes.acts.cases import get_case
from processes.api import safe, shapes
from processes.api.base import Api
from processes.api.cases import answer
from processes.api.pages import Order, PageQuery, page
from processes.api.parsing import Strict, body_of, query_of
from processes.api.problems import QueryInvalid
from processes.api.schema import listed
from timers import clock

ORDERS = {"due": Order("due_at", is_date=True), "opened": Order("")}


class TaskQuery(PageQuery):
    state = s.ChoiceField(
        ["open", "done", "cancelled", "taken_back", "all"], required=False, default="open"
    )
    holder = s.CharField(required=False, max_length=17, help_text="me, nobody, or a number.")
    role = s.CharField(required=False, max_length=80)
    case = s.CharField(required=False, max_length=40)
    kind = s.CharField(required=False, max_length=40)
    name = s.CharField(required=False, max_length=80)
    late = s.BooleanField(required=False, help_text="true: past its date.")
    order = s.ChoiceField(["due", "-due", "opened", "-opened"], required=False, default="due")


class Release(Strict):
    reason = s.CharField(required=False, default="", allow_blank=True, max_length=4000)


class HandOver(Strict):
    to = s.IntegerField(min_value=1, max_value=2**53, help_text="The number of a person.")
    reason = s.CharField(max_length=4000)


class Outcome(Strict):
    outcome = s.CharField(max_length=80, help_text="One of the task's `outcomes`.")
    reason = s.CharField(required=False, default="", allow_blank=True, max_length=4000)
    result = s.DictField(required=False, help_text="What the task `asks`.")
    seen = s.IntegerField(
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="The last event of the case that the person had before them: facts or documents "
        "that changed since refuse the decision.",
    )


class TakeBack(Strict):
    reason = s.CharField(max_length=4000)


class Ask(Strict):
    of = s.IntegerField(min_value=1, max_value=2**53, help_text="The number of a person.")
    question = s.CharField(max_length=10_000)


class AdvisersShape(s.Serializer):
    results = shapes.PersonShape(many=True)


class Nothing(Strict):
    """An empty object."""


class Tasks(Api):
    @extend_schema(
        operation_id="list_tasks",
        tags=["tasks"],
        parameters=[TaskQuery],
        responses={200: listed(shapes.TaskShape)},
    )
    def get(self, request: Request) -> Response:
        """List the tasks of the cases that the caller may see."""
        query = query_of(request, TaskQuery)
        rows = Task.objects.filter(case__in=self.caller.cases())
        if query["state"] != "all":
            rows = rows.filter(state=query["state"])
        for name, column in (("role", "role"), ("kind", "case__kind"), ("name", "name")):
            if name in query:
                rows = rows.filter(**{column: query[name]})
        if "case" in query:
            rows = rows.filter(case__reference=query["case"])
        if "holder" in query:
            rows = rows.filter(holder=self._holder(query["holder"]))
        if "late" in query:
            now = clock.now()
            late = rows.filter(due_at__lt=now)
            rows = late if query["late"] else rows.exclude(due_at__lt=now)
        rows = rows.select_related("holder").annotate(case_reference=F("case__reference"))
        found = page(request, rows, query["order"], ORDERS)
        return Response(found.told([shapes.task(one, one.case_reference) for one in found.rows]))

    def _holder(self, said: str) -> int | None:
        if said == "nobody":
            return None
        if said == "me" and self.caller.person is not None:
            return self.caller.person.pk
        if said.isascii() and said.isdecimal():
            return int(said)
        raise QueryInvalid(
            _("A holder is me, nobody, or the number of a person."), {"holder": said[:20]}
        )


class OneTask(Api):
    @extend_schema(operation_id="read_task", tags=["tasks"], responses={200: shapes.TaskShape})
    def get(self, request: Request, pk: int) -> Response:
        """Read a task."""
        return told(task_for(self, pk))


class TaskAct(Api):
    """An act on one task, under the lock of its case."""

    acts: ClassVar = {"POST": "tasks"}

    def begin(self, pk: int) -> Task:
        task = task_for(self, pk)
        self.caller.require_scope("tasks", task.case.kind)
        safe.locked(self.request, task.case)
        return task


class Claim(TaskAct):
    @extend_schema(
        operation_id="claim_task",
        tags=["tasks"],
        request=Nothing,
        responses={200: shapes.TaskShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Take a task. Of many who try at once one gets it; the others learn who has it."""

        def act() -> Response:
            body_of(request, Nothing)
            self.begin(pk)
            return told_again(acts.claim_task(task_id=pk, actor=self.caller.actor))

        return self.once(act)


class ReleaseTask(TaskAct):
    @extend_schema(
        operation_id="release_task",
        tags=["tasks"],
        request=Release,
        responses={200: shapes.TaskShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Put a task back into its queue."""

        def act() -> Response:
            body = body_of(request, Release)
            self.begin(pk)
            return told_again(
                acts.release_task(task_id=pk, actor=self.caller.actor, reason=body["reason"])
            )

        return self.once(act)


class HandOverTask(TaskAct):
    @extend_schema(
        operation_id="hand_over_task",
        tags=["tasks"],
        request=HandOver,
        responses={200: shapes.TaskShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Give a task to another person of its role."""

        def act() -> Response:
            body = body_of(request, HandOver)
            self.begin(pk)
            to = Person.objects.filter(pk=body["to"]).first()
            if to is None:
                raise Invalid(
                    _("There is no person %(number)s.") % {"number": body["to"]},
                    {"to": _("No such person.")},
                )
            return told_again(
                acts.hand_over_task(
                    task_id=pk, to=to, actor=self.caller.actor, reason=body["reason"]
                )
            )

        return self.once(act)


class CompleteTask(TaskAct):
    fields_at: ClassVar = {"*": "/result", "outcome": "", "reason": "", "seen": ""}

    @extend_schema(
        operation_id="complete_task",
        tags=["tasks"],
        request=Outcome,
        responses={200: shapes.TaskShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Record the outcome of a task one holds; the case goes on."""

        def act() -> Response:
            body = body_of(request, Outcome)
            self.begin(pk)
            return told_again(
                acts.complete_task(
                    task_id=pk,
                    outcome=body["outcome"],
                    reason=body["reason"],
                    result=body.get("result"),
                    seen_number=body.get("seen"),
                    actor=self.caller.actor,
                )
            )

        return self.once(act)


class AskAdvice(TaskAct):
    @extend_schema(
        operation_id="ask_advice",
        tags=["tasks"],
        request=Ask,
        responses={201: shapes.TaskShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Ask a colleague what they think of a task, and keep it. The answer is theirs: a task of
        its own, which they complete."""

        def act() -> Response:
            body = body_of(request, Ask)
            self.begin(pk)
            of = Person.objects.filter(pk=body["of"]).first()
            if of is None:
                raise Invalid(
                    _("There is no person %(number)s.") % {"number": body["of"]},
                    {"of": _("No such person.")},
                )
            asked = advice.ask_advice(
                task_id=pk, of=of, question=body["question"], actor=self.caller.actor
            )
            response = told_again(asked)
            response.status_code = 201
            response["Location"] = f"/api/v1/tasks/{asked.pk}"
            return response

        return self.once(act)


class Advisers(Api):
    acts: ClassVar = {"GET": "tasks"}

    @extend_schema(operation_id="list_advisers", tags=["tasks"], responses={200: AdvisersShape})
    def get(self, request: Request, pk: int) -> Response:
        """Whom the holder of a task may ask for advice on it."""
        task = task_for(self, pk)
        access.require(self.caller.actor, "ask advice", task)
        person = self.caller.person
        found = advice.advisers_for(task, person) if person is not None else []
        return Response({"results": [shapes.person(one) for one in found[:200]]})


class TakeBackTask(TaskAct):
    @extend_schema(
        operation_id="take_back_decision",
        tags=["tasks"],
        request=TakeBack,
        responses={200: shapes.CaseShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Take a decision back: the case returns to the step that asks for it."""

        def act() -> Response:
            body = body_of(request, TakeBack)
            self.begin(pk)
            case = decisions.take_back_decision(
                task_id=pk, reason=body["reason"], actor=self.caller.actor
            )
            return answer(case, self.caller)

        return self.once(act)


def task_for(view: Api, pk: int) -> Task:
    """The task, unless the caller may not see its case."""
    rows = Task.objects.select_related("holder", "case")
    cases = view.caller.cases("read", view.act(view.request.method))
    task = rows.filter(pk=pk, case__in=cases).first() if pk < 2**63 else None
    if task is None:
        raise NotFound(_("There is no such task among the cases you may see."))
    view.subject = task.case_id
    view.caller.note_read(task)
    return task


def told(task: Task) -> Response:
    data: Any = shapes.task(task, task.case.reference)
    return Response(data, headers={"ETag": safe.etag(task.case)})


def told_again(task: Task) -> Response:
    """The task after an act: its case has moved on with it."""
    fresh = Task.objects.select_related("holder").get(pk=task.pk)
    fresh.case = get_case(fresh.case_id)
    return told(fresh)
