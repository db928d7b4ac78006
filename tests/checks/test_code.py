"""`manage.py check` reads step code: each finding names the file, the line and what would work."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.checks import CheckMessage

from processes import kinds as registry
from processes.checks import activities, code, slips
from processes.kinds import Kind
from tests.checks import offending
from tests.trial.models import Trial

Judge = Callable[[Any], list[CheckMessage]]


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Judge]:
    """What is found in a function as the code of a step of the trial kind."""

    def judged(function: Any) -> list[CheckMessage]:
        with monkeypatch.context() as patch:
            patch.setattr(registry, "_kinds", dict(registry._kinds))
            kind = Kind(
                Trial,
                title="Trial",
                prefix="TR",
                initial=Trial.Step.TRYING,
                document_titles={"passport": "Passport", "payslip": "Payslip"},
                messages={"answer": lambda data: data},
            )
            kind.step(Trial.Step.TRYING)(function)
            return [*code.check(kind), *slips.check(kind)]

    yield judged


MISTAKES = {
    "reads_the_clock": ("processes.E010", "now()"),
    "reads_djangos_clock": ("processes.E010", "now()"),
    "waits_by_itself": ("processes.E010", "sleep()"),
    "sleeps_on_a_loop": ("processes.E010", "all_of()"),
    "rolls_dice": ("processes.E010", "random()"),
    "starts_a_thread": ("processes.E010", "start()"),
    "calls_the_network": ("processes.E010", "an activity"),
    "imports_the_network": ("processes.E010", "an activity"),
    "calls_a_service": ("processes.E010", "an activity"),
    "opens_a_file": ("processes.E010", "an activity"),
    "prints": ("processes.E010", "again and again"),
    "hashes": ("processes.E010", "differs from process to process"),
    "through_a_helper": ("processes.E010", "now()"),
    "asks_the_database": ("processes.E011", "facts of the case"),
    "saves_the_case": ("processes.E011", "facts of the case"),
    "gives_too_little": ("processes.E018", "await ask(number=…, amount=…)"),
    "gives_too_much": ("processes.E018", "await ask(number=…, amount=…)"),
    "gives_without_names": ("processes.E018", "await ask(number=…, amount=…)"),
    "opens_an_unknown_kind": ("processes.E013", "It has: "),
    "opens_with_unknown_facts": ("processes.E013", "Its facts are: script"),
    "opens_without_a_fact": ("processes.E013", "Its facts are: script"),
    "computes_a_marker": ("processes.E012", "Write the name out"),
    "starts_an_unknown_clock": ("processes.E019", 'trial.clock("term"'),
    "goes_through_a_set": ("processes.E014", "sorted("),
    "waits_for_what_is_refused": ("processes.E015", "it takes: answer"),
    "takes_what_begins_elsewhere": ("processes.E016", "Add Step.TRYING to source= of go_back"),
    "never_ends": ("processes.E017", "return case."),
    "goes_back_in_time": ("processes.E022", "a positive amount"),
    "says_no_unit": ("processes.E022", "sleep(days(…))"),
    "does_not_wait": ("processes.E023", "await message("),
    "does_not_wait_for_a_helper": ("processes.E023", "await asking()"),
    "takes_what_is_not_there": ("processes.E024", "finish"),
    "takes_it_with_too_little": ("processes.E024", "case.fail(reason=…)"),
    "takes_it_with_another_word": ("processes.E024", "case.fail(reason=…)"),
    "forgets_to_return": ("processes.E024", "return case.finish("),
    "does_not_call": ("processes.E024", "return case.finish(…)"),
    "sets_a_fact": ("processes.E025", "a transition, whose method sets it"),
    "asks_without_title": ("processes.W004", "document_titles"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_with_its_line_and_its_remedy(judge: Judge, name: str) -> None:
    function = getattr(offending, name)
    (found,) = judge(function)
    ident, remedy = MISTAKES[name]
    assert found.id == ident
    assert remedy in str(found.hint)
    source = offending.helper if name == "through_a_helper" else function
    lines, first = inspect.getsourcelines(source)
    (wrong,) = [first + at for at, line in enumerate(lines) if line.rstrip().endswith("# wrong")]
    assert f"checks/offending.py, line {wrong}: " in found.msg


def test_each_mistake_of_the_file_is_tried() -> None:
    """None is written and forgotten."""
    tried = {*MISTAKES, "is_sound"}
    assert tried == {n for n, f in vars(offending).items() if inspect.iscoroutinefunction(f)}


def test_sound_code_is_left_alone(judge: Judge) -> None:
    assert judge(offending.is_sound) == []


def test_the_shipped_kinds_are_sound() -> None:
    for name, kind in registry.kinds().items():
        if name != "trial":  # its scripts are wrong on purpose
            assert [*code.check(kind), *slips.check(kind)] == []


# -- the declaration


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"main_line": [("Trying", ["triyng"])]}, "main_line names triyng"),
        ({"main_line": [("A", ["trying"]), ("B", ["trying"])]}, "main_line has trying twice"),
        ({"correctable": ("scirpt",)}, "correctable names scirpt"),
        ({"targets": {"triyng": 3}}, "targets names triyng"),
        ({"withdraw": "withdrw"}, "withdraw names withdrw"),
        ({"answer_forms": {"anser": "tests.cases.forms.NewTrial"}}, "answer_forms names anser"),
        (
            {"form": "tests.cases.forms.NwTrial"},
            "the form “tests.cases.forms.NwTrial” is not there",
        ),
        ({"prefix": "LN"}, "the prefix LN is that of “loan”"),
    ],
)
def test_a_slip_of_the_declaration_is_named(
    monkeypatch: pytest.MonkeyPatch, declared: dict[str, Any], words: str
) -> None:
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))
    given = {"title": "Trial", "prefix": "TRY", "initial": Trial.Step.TRYING, **declared}
    (found,) = slips.check(Kind(Trial, **given))
    assert found.id == "processes.E026"
    assert "kind “trial”" in found.msg and words in found.msg
    assert found.hint


# -- activities


def test_an_activity_that_may_be_done_twice_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from processes import activities as known
    from processes.activities import Attempt, activity

    monkeypatch.setattr(known, "_definitions", {})

    @activity(name="a.careless")
    def careless(attempt: Attempt, *, amount: int) -> None: ...

    @activity(name="a.reads", repeatable=True)
    def reads(attempt: Attempt) -> None: ...

    @activity(name="a.ours", inside=True)
    def ours(attempt: Attempt) -> None: ...

    @activity(name="a.keyed")
    def keyed(attempt: Attempt) -> str:
        return attempt.key

    @activity(name="a.hands_on")
    def hands_on(attempt: Attempt) -> Any:
        return keyed.function(attempt)

    (found,) = activities.check()
    assert "a.careless" in found.msg and "checks/test_code.py, line " in found.msg
    assert "repeatable=True" in str(found.hint)
