"""A colleague is asked for advice; the task stays with whoever has it, and waits for nothing."""

from __future__ import annotations

from typing import Any

import pytest

from audit.read import events_of
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed, TaskHeld
from cases.models import Notice, Task
from processes.acts.advice import ask_advice
from processes.acts.cases import move_case
from processes.acts.people import deactivate_person
from processes.acts.tasks import complete_task, hand_over_task, release_task
from processes.engine.verify import differences_of

pytestmark = pytest.mark.django_db(transaction=True)


def ask(task: Task, *, of: Any, by: Any) -> Task:
    return ask_advice(task_id=task.pk, of=of, question="Is the lease sound?", actor=Actor.of(by))


def sound(desk: Any, case: Any) -> bool:
    return list(differences_of(desk.fresh(case))) == []


def test_the_answer_lands_on_the_form_and_in_the_history(desk: Any, visit: Any) -> None:
    # Given a reviewer who asks a colleague, and keeps the review
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    milan, ayse = visit(desk.people.milan), visit(desk.people.ayse)
    address = f"{task.get_absolute_url()}advice/"
    form = milan.open(address)
    question = "Is the lease <sound>?"
    page = form.send(address, of=desk.people.ayse.pk, question=question)
    assert "Ayşe Yılmaz is asked for advice. You keep the task." in page
    assert "still out" in page

    # When the colleague answers
    advice = Task.objects.get(advises=task)
    assert advice.title in ayse.open("/work/")
    page = ayse.open(advice.get_absolute_url())
    assert "Is the lease &lt;sound&gt;?" in page.html
    page.send(advice.get_absolute_url(), outcome="given", reason="It runs to 2031.")

    # Then it stands on the form, and in the history, and nobody has the request open any more
    page = milan.open(task.get_absolute_url())
    assert "It runs to 2031." in page and "still out" not in page
    history = milan.open(f"{case.get_absolute_url()}history/")
    assert "Advice on First review asked of Ayşe Yılmaz" in history
    assert "It runs to 2031." in history
    assert advice.title not in ayse.open("/work/")
    assert sound(desk, case)


def test_nothing_waits_for_it_and_it_ends_with_the_task(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    advice = ask(task, of=desk.people.ayse, by=desk.people.milan)
    assert [one["kind"] for one in desk.fresh(case).waits] == ["task"]
    complete_task(task_id=task.pk, outcome="approve", reason="", actor=Actor.of(desk.people.milan))
    advice.refresh_from_db()
    assert advice.state == "cancelled"
    assert Notice.objects.get(person=desk.people.ayse).text.endswith("is no longer needed.")
    late = visit(desk.people.ayse).open(advice.get_absolute_url())
    assert "No longer needed" in late
    assert sound(desk, case)


def test_it_ends_with_a_case_that_is_withdrawn(desk: Any) -> None:
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    advice = ask(task, of=desk.people.ayse, by=desk.people.milan)
    sanne = Actor.of(desk.people.sanne)
    move_case(case_id=case.pk, name="withdraw", data={"reason": "No need."}, actor=sanne)
    advice.refresh_from_db()
    assert advice.state == "cancelled"
    assert sound(desk, case)


def test_it_is_asked_of_one_person_alone(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    people = desk.people
    advice = ask(task, of=people.ayse, by=people.milan)
    with pytest.raises(Invalid, match="asked already"):
        ask(task, of=people.ayse, by=people.milan)
    for outsider in (people.eve, people.ada, people.milan):
        with pytest.raises(Invalid, match="cannot be asked"):
            ask(task, of=outsider, by=people.milan)
    for other in (people.sanne, people.ayse, people.ada):
        with pytest.raises(NotAllowed):
            ask(task, of=people.petra, by=other)
    for other in (people.milan, people.sanne, people.petra):
        with pytest.raises(TaskHeld):
            complete_task(
                task_id=advice.pk, outcome="given", reason="I say so.", actor=Actor.of(other)
            )
    for act in (release_task, hand_over_task):
        more = {"to": people.petra} if act is hand_over_task else {}
        with pytest.raises(NotAllowed, match="alone"):
            act(task_id=advice.pk, actor=Actor.of(people.ayse), reason="Busy.", **more)
    assert visit(people.eve).open(advice.get_absolute_url()).status == 404
    assert visit(people.eve).open(f"{task.get_absolute_url()}advice/").status == 404


def test_whoever_leaves_is_not_asked_any_more(desk: Any) -> None:
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    ask(task, of=desk.people.ayse, by=desk.people.milan)
    deactivate_person(person=desk.people.ayse, actor=Actor.of(desk.people.petra))
    assert Task.objects.get(advises=task).state == "cancelled"
    assert events_of(case.pk)[-1].type == "advice.withdrawn"
    assert Task.objects.get(pk=task.pk).holder == desk.people.milan
    assert sound(desk, case)
