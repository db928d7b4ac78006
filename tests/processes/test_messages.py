"""Messages from outside: early, late, unmatched, twice, misshapen."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection

from cases.errors import CaseClosed, Invalid, SameKeyOtherContent
from cases.models import Message
from processes.acts.messages import deliver_message, link_message
from processes.models import Incident
from tests.processes.conftest import SERVICE, Trials, at_once
from tests.trial import steps
from timers.models import Timer

pytestmark = pytest.mark.django_db(transaction=True)


def payment(data: Any) -> Any:
    """What a trial takes as a payment: an amount, and nothing else."""
    if not isinstance(data, dict):
        raise Invalid("A payment is an object.", {"data": "an object"})
    wrong = {name: "not asked for" for name in data if name != "amount"}
    if not isinstance(data.get("amount"), (int, float)):
        wrong["amount"] = "a number"
    if wrong:
        raise Invalid(f"The payment was not taken: {wrong}", wrong)
    return data


# -- early, late, unmatched


def test_an_early_message_is_kept_and_used_when_its_step_is_reached(trials: Trials) -> None:
    case = trials.open("two_steps")
    assert trials.send(case, "second", n=5).state == "kept"
    assert Message.objects.get().state == "kept"
    trials.send(case, "first")
    assert trials.fresh(case).result == "second 5"
    assert Message.objects.get(name="second").state == "used"
    assert trials.last(case, "message.matched").data["data"] == {"n": 5}


def test_early_messages_of_one_name_are_used_in_the_order_they_came(trials: Trials) -> None:
    case = trials.open("two_steps")
    trials.send(case, "second", key="1", back=True)
    trials.send(case, "second", key="2", n=2)
    trials.send(case, "first", key="3")
    trials.send(case, "first", key="4")
    assert trials.fresh(case).result == "second 2"


def test_a_message_for_a_closed_case_is_refused_naming_its_end(trials: Trials) -> None:
    case = trials.open("local")
    for _ in range(2):
        with pytest.raises(CaseClosed, match="done"):
            trials.send(case, "go")
    assert Message.objects.get().state == "late"
    assert trials.count(case, "message.late") == 1


def test_a_posted_message_that_comes_late_lies_in_the_tray(trials: Trials) -> None:
    case = trials.open("local")
    trials.post(case.reference, "go")
    trials.settle()
    message = Message.objects.get()
    assert (message.state, message.case_id) == ("late", case.pk)
    assert "was closed" in message.why
    assert trials.types(case)[-1] == "message.late"


def test_an_unmatched_message_is_kept_until_a_person_links_it(trials: Trials, people: Any) -> None:
    case = trials.open("met_race")
    trials.post("TR-1999-000001", "begin")
    trials.settle()
    message = Message.objects.get()
    assert message.state == "unmatched"

    from cases.actors import Actor

    link_message(message_id=message.pk, case_id=case.pk, actor=Actor.of(people.sanne))
    assert trials.last(case, "message.received").data["name"] == "begin"
    assert trials.last(case, "message.linked").actor == f"person:{people.sanne.pk}"
    again = link_message(message_id=message.pk, case_id=case.pk, actor=Actor.of(people.sanne))
    assert (again.state, again.is_repeat) == ("used", True)
    assert trials.count(case, "message.linked") == 1
    other = trials.open("met_race")
    with pytest.raises(Invalid, match="no longer"):
        link_message(message_id=message.pk, case_id=other.pk, actor=Actor.of(people.sanne))


def test_a_posted_message_finds_its_case_by_reference_or_by_the_key_that_opened_it(
    trials: Trials,
) -> None:
    from processes.acts.cases import open_case

    case = open_case(
        kind="trial",
        facts={"script": "race"},
        title="from the portal",
        actor=SERVICE,
        source="portal",
        source_key="A-7",
    )
    trials.post("portal:A-7", "go")
    trials.settle()
    assert trials.fresh(case).result == "0"


def test_a_posted_message_may_open_a_case(trials: Trials) -> None:
    from cases.models import Case

    trials.post("trial", "case.open", key="new", title="Posted", facts={"script": "race"})
    trials.settle()
    case = Case.objects.get()
    assert (case.title, case.source_key, case.step) == ("Posted", "new", "trying")


def test_one_message_that_cannot_open_a_case_lies_in_the_tray_with_the_reason(
    trials: Trials,
) -> None:
    from cases.models import Case

    trials.post("trial", "case.open", key="bad", facts={"size": 3})
    trials.post("trial", "case.open", key="good", facts={"script": "race"})
    trials.settle()
    assert Case.objects.count() == 1
    assert "size" in Message.objects.get(key="bad").why


# -- twice


def test_the_same_message_twice_is_one(trials: Trials) -> None:
    """A signal whose answer was lost is sent again: one entry, one effect, the same answer."""
    case = trials.open("two_steps")
    first = trials.send(case, "second", key="X", n=250)
    again = trials.send(case, "second", key="X", n=250)
    assert (first.message_id, first.state) == (again.message_id, again.state)
    assert again.is_repeat
    with pytest.raises(SameKeyOtherContent):
        trials.send(case, "second", key="X", n=251)
    trials.send(case, "first")
    assert trials.count(case, "message.kept") == 1
    assert trials.fresh(case).result == "second 250"


def test_the_same_signal_from_ten_at_once_has_one_effect(trials: Trials) -> None:
    case = trials.open("race")
    answers = at_once(
        [
            lambda: deliver_message(
                case_id=case.pk,
                name="go",
                data={"amount": "250.00"},
                source="bank",
                key="X",
                actor=SERVICE,
            )
        ]
        * 10
    )
    assert {answer.message_id for answer in answers} == {Message.objects.get().pk}
    assert {answer.state for answer in answers} == {"used"}
    assert sum(not answer.is_repeat for answer in answers) == 1
    assert trials.count(case, "message.received") == 1


# -- shape


@pytest.mark.parametrize("data", [None, {}])
def test_an_empty_signal_is_still_a_signal(trials: Trials, data: Any) -> None:
    case = trials.open("hour")
    deliver_message(
        case_id=case.pk, name="confirmed", data=data, source="test", key="1", actor=SERVICE
    )
    assert trials.fresh(case).result == "confirmed"


def test_no_signal_within_the_hour_is_the_other_path(trials: Trials) -> None:
    case = trials.open("hour")
    trials.engine.advance(hours=1)
    assert trials.fresh(case).result == "late"
    assert "timer.fired" in trials.types(case)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"amount": "twelve"}, "amount"),
        ({}, "amount"),
        ({"amount": 1, "currency": "EUR"}, "currency"),
        ([1, 2], "data"),
    ],
)
def test_a_signal_of_the_wrong_shape_is_refused_and_leaves_nothing(
    trials: Trials, monkeypatch: pytest.MonkeyPatch, data: Any, field: str
) -> None:
    monkeypatch.setattr(steps.trial, "messages", {"go": payment})
    case = trials.open("race")
    before = trials.types(case)
    with pytest.raises(Invalid) as refused:
        deliver_message(
            case_id=case.pk, name="go", data=data, source="bank", key="1", actor=SERVICE
        )
    assert field in refused.value.fields
    assert trials.types(case) == before and not Message.objects.exists()

    # And the right one works, under the same key
    trials.send(case, "go", amount=12)
    assert trials.fresh(case).result == "0"


def test_a_signal_of_a_name_the_kind_does_not_take_is_refused_naming_those_it_does(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps.trial, "messages", {"go": payment})
    case = trials.open("race")
    with pytest.raises(Invalid, match="It takes: go"):
        trials.send(case, "gone")


def test_a_signal_that_the_code_cannot_take_stops_the_case_and_stays_in_history(
    trials: Trials,
) -> None:
    case = trials.open("helper_race")
    trials.send(case, "quick", other=1)
    assert trials.fresh(case).stopped_at is not None
    assert trials.last(case, "message.received").data["data"] == {"other": 1}
    assert "KeyError" in Incident.objects.get().came


def test_a_message_too_large_is_refused_with_the_limit(trials: Trials) -> None:
    case = trials.open("race")
    with pytest.raises(Invalid, match="larger than"):
        trials.send(case, "go", text="x" * 70_000)


# -- at the end of a case


def test_signals_that_arrive_as_a_case_closes_are_in_history_before_its_end_or_refused(
    trials: Trials,
) -> None:
    cases = [trials.open("race") for _ in range(12)]
    accepted: list[tuple[int, str]] = []
    refused: list[CaseClosed] = []
    lock = threading.Lock()

    def send(case_id: int, key: str, name: str) -> None:
        try:
            answer = deliver_message(
                case_id=case_id, name=name, data={}, source="s", key=key, actor=SERVICE
            )
            with lock:
                accepted.append((case_id, key))
            assert answer.state in ("used", "kept")
        except CaseClosed as refusal:
            with lock:
                refused.append(refusal)

    at_once(
        [
            (lambda case=case, n=n: send(case.pk, f"{case.pk}-{n}", "go" if n == 2 else "note"))
            for case in cases
            for n in range(4)
        ]
    )
    assert len(accepted) + len(refused) == 48
    assert all("done" in str(refusal) for refusal in refused)
    for case in cases:
        events = trials.events(case)
        end = next(event.number for event in events if event.data.get("closed"))
        taken = [e for e in events if e.type in ("message.received", "message.kept")]
        assert {e.data["key"] for e in taken} == {
            k for case_id, k in accepted if case_id == case.pk
        }
        assert all(event.number < end for event in taken)
        assert {e.type for e in events[end:]} <= {"message.late"}
    assert not Timer.objects.exists()


def test_a_message_that_cannot_be_handled_touches_no_other_of_its_batch(
    trials: Trials, poison: None
) -> None:
    good, bad = trials.open("race"), trials.open("bad_row")
    trials.post(bad.reference, "go")
    trials.post(good.reference, "go")
    trials.settle()
    assert trials.fresh(good).result == "0"
    assert trials.fresh(bad).stopped_at is not None
    assert set(Message.objects.values_list("to", "state")) == {
        (good.reference, "used"),
        (bad.reference, "kept"),
    }


def test_messages_are_stored_while_their_case_is_held(trials: Trials) -> None:
    """Storing never waits for the case; the worker comes back for it."""
    from processes.engine.turn import Turn

    case = trials.open("race")

    def hold_and_post() -> None:
        with Turn() as turn:
            turn.lock([case.pk], wait=True)
            at_once([lambda: trials.post(case.reference, "go")])

    hold_and_post()
    assert Message.objects.get().state == "new"
    trials.settle()
    assert trials.fresh(case).result == "0"
    assert connection.in_atomic_block is False
