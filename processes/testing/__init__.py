"""The test kit of Longcase: a pytest plugin for tests of a process, of ours and of others.

    # pytest.ini beside your kinds; run pytest from the checkout of Longcase
    [pytest]
    addopts = -p processes.testing

It brings a Postgres of its own, an installation in this process whose clock a test turns, fakes
for what is outside, and these fixtures:

- `open_case(kind, **facts)` opens a case and gives it as a `CaseUnderTest`.
- `clock.advance(days=3)` lets time pass, through each timer and each retry in order.
- `fake(activity, returns=…)` answers an activity; `outside.answer(service, …)` answers calls to a
  service. Calls that no test answers fail the test.
- `person("reviewer")` is somebody with that role; acts find a fitting person by themselves.
- `walk(kind, …)` goes through the kind at random and looks for what a person would get stuck in.
- `kit` is all of it.

After each test every case is checked: its chain, its rows against its history, and each prefix of
its history is replayed. `@pytest.mark.unsound("why")` is for a test that breaks one on purpose. The
run ends with the transitions and steps that no test took; with `--transitions=require` those are
failures.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from processes.testing import coverage, database

if TYPE_CHECKING:
    from processes.testing.fakes import Fakes, Outside
    from processes.testing.kit import Kit
    from processes.work.inline import Inline

CHECKOUT = str(Path(__file__).resolve().parents[2])
pytest.register_assert_rewrite("processes.testing.sound")

TAKEN = pytest.StashKey[coverage.Taken]()


# -- before Django is set up


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("longcase")
    group.addoption(
        "--transitions",
        choices=["report", "require", "off"],
        default=None,
        help="report transitions and steps that no test took (default), or fail because of them",
    )
    parser.addini("longcase_transitions", "report, require or off", default="report")
    parser.addini(
        "longcase_kinds",
        "kinds under test, as on LONGCASE_KINDS; those beside the ini file unless given",
        type="args",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, Any, Any]:
    kinds = kinds_under_test(early_config)
    if CHECKOUT not in sys.path:
        sys.path.insert(0, CHECKOUT)
    if kinds:
        os.environ["LONGCASE_KINDS"] = ",".join(kinds)
    database.prepare()
    return (yield)


def kinds_under_test(config: pytest.Config) -> list[str]:
    """The kinds that the ini file names, or else the folders beside it that are kinds."""
    named = list(config.getini("longcase_kinds"))
    if named or config.inipath is None:
        return named
    return [
        str(path.parent)
        for path in sorted(config.inipath.parent.glob("*/steps.py"))
        if (path.parent / "apps.py").exists()
    ]


# -- the run


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "unsound(why): leaves a case on purpose that does not fit its history"
    )
    config.stash[TAKEN] = coverage.Taken()
    database.settle_settings()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """After each test: every history is replayed, and the transitions are counted."""
    result = yield
    if "engine" in getattr(item, "fixturenames", ()):
        from processes.testing import sound

        if is_sound(item):
            sound.check_all()
        if "walk" not in getattr(item, "fixturenames", ()):
            item.config.stash[TAKEN].look()
    return result


def is_sound(item: Any) -> bool:
    """Whether each case must fit its history after this test. A fixture may also say that it has
    left one that does not, by `is_checked = False`."""
    told = (getattr(value, "is_checked", True) for value in item.funcargs.values())
    return item.get_closest_marker("unsound") is None and all(one is not False for one in told)


def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if hasattr(config, "workeroutput"):  # a worker of xdist tells its parent
        config.workeroutput["longcase_taken"] = config.stash[TAKEN].told()
    elif coverage.wish(config) == "require" and coverage.missing(config, config.stash[TAKEN]):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    told = getattr(node, "workeroutput", {}).get("longcase_taken")
    if told:
        node.config.stash[TAKEN].hear(told)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if coverage.wish(config) == "off":
        return
    lines = coverage.missing(config, config.stash[TAKEN])
    if lines:
        terminalreporter.section("transitions and steps that no test took")
        for line in lines:
            terminalreporter.write_line(line)


# -- fixtures


@pytest.fixture(autouse=True)
def own_storage(settings: Any, tmp_path: Path) -> None:
    """Documents of a test are its own."""
    settings.MEDIA_ROOT = tmp_path / "documents"


@pytest.fixture(autouse=True)
def own_language() -> Iterator[None]:
    """A page that a test read in another language leaves the next test in its own."""
    from django.utils import translation

    with translation.override(translation.get_language()):
        yield


@pytest.fixture
def engine(transactional_db: None) -> Iterator[Inline]:
    """Workers and timer service of this process, which run until nothing is due, from Monday,
    30 November 2026, 9:00 UTC."""
    from datetime import UTC, datetime

    from processes.work.inline import Inline
    from timers import clock as clocks

    with (
        clocks.turned(datetime(2026, 11, 30, 9, 0, tzinfo=UTC)) as turned,
        Inline(turned) as inline,
    ):
        yield inline


@pytest.fixture
def clock(engine: Inline) -> Inline:
    """The clock that a test turns: `clock.advance(days=3)`, `clock.until(moment)`."""
    return engine


@pytest.fixture
def fake() -> Iterator[Fakes]:
    """Answers activities: `asked = fake(score, returns={"score": 700})`, then `asked.calls`."""
    from processes.testing.fakes import Fakes

    with Fakes() as fakes:
        yield fakes


@pytest.fixture
def outside() -> Iterator[Outside]:
    """Answers calls to services: `outside.answer(bank, "POST", "/payouts", {"booking": "B1"})`."""
    from processes.testing.fakes import Outside

    with Outside() as found:
        yield found
    found.require_answered()


@pytest.fixture
def kit(engine: Inline, fake: Fakes, outside: Outside) -> Kit:
    """Everything of the kit in one object."""
    from processes.testing.kit import Kit

    return Kit(engine, fake, outside)


@pytest.fixture
def open_case(kit: Kit) -> Any:
    """Opens a case: `open_case("grant", applicant="Zoë", amount=500)`."""
    return kit.open


@pytest.fixture
def person(kit: Kit) -> Any:
    """Somebody with these roles: `person("reviewer")`."""
    return kit.person


@pytest.fixture
def walk(kit: Kit) -> Any:
    """Goes through a kind at random: `walk("grant", cases=30, answers={…})`."""
    from processes.testing.walking import Walker

    def begin(kind: str, **options: Any) -> Any:
        return Walker(kit, kind, **options).go()

    return begin
