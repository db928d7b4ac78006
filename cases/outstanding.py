"""What a case waits for, line by line. Pure functions over rows that were read already."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from cases import dates
from cases.models import Case, Document, Person, Requirement, Task
from cases.retries import Retry
from cases.tags import Tag, requirement_tag, task_of, task_tag
from cases.words import Words, capitalised, of_steps, party, plain

_FAR = timedelta(days=3600)  # a timer so far away is one that is never meant to ring


@dataclass(frozen=True, slots=True)
class Outstanding:
    """One thing a case waits for. `act` is the word of its link, to `url`."""

    what: str
    whom: str
    since: datetime
    due: dates.Due | None
    tag: Tag
    act: str = ""
    url: str = ""
    note: str = ""  # what went wrong with it so far


def outstanding(
    case: Case,
    *,
    requirements: Sequence[Requirement],
    documents: Sequence[Document],
    tasks: Sequence[Task],
    children: Sequence[Case],
    person: Person,
    now: datetime,
    words: Words,
    recordable: Collection[str] = (),
    retries: Mapping[int, Retry] | None = None,
) -> list[Outstanding]:
    """All that is waited for. What comes by itself is told too, without an act. `recordable` names
    the messages that staff may record for the one who gave them."""
    found: list[Outstanding] = []
    asked = False
    parties = {one["name"] for one in case.waits if one["kind"] == "party"}
    messages = {one["name"] for one in case.waits if one["kind"] == "message"}
    for wait in case.waits:
        if wait["kind"] == "timer" and not is_near(wait, now):
            continue
        if wait["kind"] == "message" and wait["name"] in parties:
            continue  # the same answer, by post: one line, and one act to record it
        due = dates.due(wait["until"], now) if wait.get("until") else None
        if wait["kind"] == "documents":
            if not asked:
                found += _papers(requirements, documents, due)
            asked = True
        elif wait["kind"] == "task" and (task := task_of(wait, tasks)):
            found.append(_work(task, person, now))
        else:
            line = _wait(wait, due, children, words, is_stopped=case.stopped_at is not None)
            if wait["name"] in messages and wait["name"] in recordable:
                line = replace(line, act="answer", url=wait["name"])
            if wait["kind"] == "activity" and (retry := (retries or {}).get(wait["command"])):
                line = _retried(line, retry, now)
            found.append(line)
    if not asked and case.is_open:  # came in, or was rejected, after the step that asked was over
        late = [one for one in requirements if one.state in ("received", "rejected")]
        found += _papers(late, documents, None)
    return found


def child_of(wait: dict[str, Any], children: Sequence[Case]) -> Case | None:
    """The case whose end a wait is about. Numbers of commands begin anew with each visit, so those
    of children that ended are not looked at."""
    if wait["kind"] != "subcase":
        return None
    found = (one for one in children if one.parent_command == wait["command"] and one.is_open)
    return next(found, None)


def _retried(line: Outstanding, retry: Retry, now: datetime) -> Outstanding:
    if retry.is_stopped:
        return replace(line, note=retry.words(now), tag=Tag(_("Stopped"), "bad", "stopped"))
    tried = {"n": retry.failed, "most": retry.most}
    tag = Tag(_("Tried %(n)s of %(most)s times") % tried, "wait", "clock")
    return replace(line, note=retry.words(now), tag=tag)


def _papers(
    requirements: Iterable[Requirement], documents: Sequence[Document], due: dates.Due | None
) -> list[Outstanding]:
    newest: dict[str, Document] = {}
    for one in documents:  # newest first
        newest.setdefault(one.name, one)
    found = []
    for one in requirements:
        if not one.is_open or one.state == "accepted":
            continue
        document = newest.get(one.name) if one.state == "received" else None
        found.append(
            Outstanding(
                what=of_steps(one.title),
                whom=capitalised(party(one.asked_of)),
                since=one.asked_at,
                due=due,
                tag=requirement_tag(one),
                act="judge" if document else "record",
                url=document.get_absolute_url() if document else one.name,
            )
        )
    return found


def _work(task: Task, person: Person, now: datetime) -> Outstanding:
    return Outstanding(
        what=of_steps(task.title),
        whom=str(task.holder) if task.holder else capitalised(party(task.role)),
        since=task.opened_at,
        due=dates.due(task.due_at, now) if task.due_at else None,
        tag=task_tag(task, person),
        act="open",
        url=task.get_absolute_url(),
    )


def _wait(
    wait: dict[str, Any],
    due: dates.Due | None,
    children: Sequence[Case],
    words: Words,
    *,
    is_stopped: bool,
) -> Outstanding:
    kind = wait["kind"]
    name = plain(wait.get("name", "")) or _("The next step")
    if kind in ("message", "party"):
        name = words.message(wait["name"])
    if kind == "incident":
        name = _("The fault to be mended")
    child = child_of(wait, children)
    late = due is not None and due.level == "late"
    tag = {
        "activity": Tag(_("Stopped"), "bad", "stopped")
        if is_stopped
        else Tag(_("Longcase works on it"), "", "clock"),
        "timer": Tag(_("Comes by itself"), "", "clock"),
        "subcase": Tag(_("Under way"), "info", "review"),
        "incident": Tag(_("Stopped by a fault"), "bad", "stopped"),
        "staff": Tag(_("Staff decide"), "info", "person"),
    }.get(kind) or Tag(_("No answer yet"), "bad" if late else "wait", "wait")
    if kind == "message" and wait["name"] in words.kind.may_come:
        tag = Tag(_("May come"), "", "info")
    return Outstanding(
        what=child.title if child else name,
        whom="Longcase" if kind == "timer" else capitalised(party(wait.get("on", ""))),
        since=wait["since"],
        due=due,
        tag=tag,
        act="case" if child else "",
        url=child.get_absolute_url() if child else "",
    )


def is_near(wait: dict[str, Any], now: datetime) -> bool:
    """Whether a timer is one that is meant to ring."""
    return wait.get("until") is not None and wait["until"] - now < _FAR
