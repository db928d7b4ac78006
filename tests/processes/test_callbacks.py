"""Third parties answer at a signed address that is open for a while, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from cases.errors import Invalid
from cases.models import Message
from processes import callbacks
from processes.acts.messages import answer_callback
from tests.processes.conftest import Trials, at_once, effects
from tests.trial import steps

pytestmark = pytest.mark.django_db(transaction=True)


def ask(trials: Trials) -> tuple[Any, str]:
    """A case that asked, and the token of the address that the party was written."""
    case = trials.open("ask_outside")
    key = effects()[-1]
    return case, callbacks.address_of(key).rstrip("/").rsplit("/", 1)[-1]


def test_the_answer_reaches_the_code(trials: Trials) -> None:
    case, token = ask(trials)
    answer_callback(token=token, data={"value": 420000})
    assert trials.fresh(case).result == "420000"
    assert trials.last(case, "party.answered").actor == "service:valuer"


def test_an_altered_address_is_refused(trials: Trials) -> None:
    case, token = ask(trials)
    other = token.replace(str(case.pk), str(case.pk + 1), 1)
    for wrong in (other, token[:-1], token + "x", "", "1.1.1:abc"):
        with pytest.raises(Invalid, match="not one of ours"):
            answer_callback(token=wrong, data={"value": 1})
    assert trials.fresh(case).is_open and "party.answered" not in trials.types(case)


def test_an_expired_address_is_refused_with_the_moment(trials: Trials) -> None:
    case, token = ask(trials)
    trials.engine.advance(days=31)
    with pytest.raises(Invalid, match="open until"):
        answer_callback(token=token, data={"value": 1})
    assert trials.fresh(case).is_open


def test_a_deadline_before_the_address_closes_is_when_the_answer_is_wanted(trials: Trials) -> None:
    case = trials.open("ask_outside_in_time")
    (wait,) = [one for one in trials.fresh(case).waits if one["kind"] == "party"]
    assert wait["until"] - wait["since"] == timedelta(days=10)
    assert wait["otherwise"] == "the trial fails"
    trials.engine.advance(days=10)
    assert trials.fresh(case).result == "too late"


def test_the_second_answer_changes_nothing_and_is_told_so(trials: Trials) -> None:
    case, token = ask(trials)
    answers = at_once([lambda: answer_callback(token=token, data={"value": 1})] * 5)
    assert [answer.state for answer in answers] == ["used"] * 5
    assert sorted(answer.is_repeat for answer in answers) == [False] + [True] * 4
    assert trials.count(case, "party.answered") == 1
    # another answer is late, and kept for people to see
    assert answer_callback(token=token, data={"value": 2}).state == "late"
    assert Message.objects.get(state="late").data == {"value": 2}
    assert trials.fresh(case).result == "1"


def test_an_answer_after_the_step_was_left_is_late(trials: Trials) -> None:
    case, token = ask(trials)
    trials.withdraw(case)
    assert answer_callback(token=token, data={"value": 1}).state == "late"
    assert trials.types(case)[-1] != "party.answered"


def test_an_answer_to_a_parked_case_is_kept_for_it(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    from processes.work import sweeps

    case, token = ask(trials)
    good = steps.scripts["ask_outside"]

    async def differs(case: Any) -> Any:
        await steps.message("other")

    monkeypatch.setitem(steps.scripts, "ask_outside", differs)
    trials.send(case, "wake")  # meets the difference, and parks
    assert trials.fresh(case).stopped_at is not None
    answer_callback(token=token, data={"value": 7})
    monkeypatch.setitem(steps.scripts, "ask_outside", good)
    assert sweeps.revive(case.pk, actor="engine")
    assert trials.fresh(case).result == "7"
