"""The code of a step at a moment: the very lines that ran, the one that waited, and today's."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from django.utils.translation import gettext as _

from cases.models import Case
from processes.engine.folding import Stood
from processes.engine.places import Pause
from processes.engine.replay import Moment
from processes.engine.runner import StepCode
from processes.engine.visits import version_of
from processes.kinds import kind_of
from processes.models import Source

LINES_AROUND = 3  # of a difference


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    text: str
    is_paused: bool


@dataclass(slots=True)
class Code:
    """What is shown of a step's code. `state` is same, changed, gone, or empty without code."""

    digest: str
    today: str = ""  # the digest of the same version as it stands now
    state: str = ""
    version: int = 0
    newest: int = 0
    file: str = ""
    lines: list[Line] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)
    diff: list[tuple[str, str]] = field(default_factory=list)  # sort of line, text
    why: str = ""  # why there is no line
    elsewhere: list[str] = field(default_factory=list)  # pauses in functions that the step calls


def code_at(case: Case, moment: Moment) -> Code:
    """The code that ran at this moment. `replay.look_at_code` has looked before."""
    stood = moment.after
    code = Code(stood.code_digest, why=why_no_line(stood), pauses=stood.pauses)
    if not stood.code_digest:
        return code
    kind = kind_of(case.kind)
    code.version = version_of(moment.visit)
    now = kind.code_of(stood.step, code.version)
    code.newest = max(kind.codes.get(stood.step, {code.version: None}))
    kept = Source.objects.filter(digest=stood.code_digest).first()
    text = kept.text if kept is not None else ""
    code.file = "/".join(PurePath(kept.file).parts[-2:]) if kept is not None else ""
    if now is None:
        code.state = "gone"
    else:
        code.today = now.digest
        code.state = "same" if now.digest == stood.code_digest else "changed"
        text = text or (now.text if code.state == "same" else "")
        code.file = code.file or "/".join(PurePath(now.file).parts[-2:])
        if code.state == "changed" and text:
            code.diff = diff_of(text, now.text)
    first = kept.line if kept is not None else now.line if now is not None else 1
    marked = _paused_lines(stood.pauses, now, text) if now is not None else set()
    code.lines = [
        Line(first + place, line, place in marked) for place, line in enumerate(text.splitlines())
    ]
    if now is not None:
        code.elsewhere = _elsewhere(stood.pauses, now)
    return code


def why_no_line(stood: Stood) -> str:
    """Why no line of code can be shown to wait, in a sentence; empty where one can."""
    match stood.lack:
        case "closed":
            return _("The case was closed: no code waited.")
        case "unentered":
            return _("No step was entered yet.")
        case "codeless":
            return _("This step has no code: it waited for staff.")
        case "gone":
            return _(
                "This release no longer has the version of the step that ran, so it cannot be run "
                "again. What is shown of the case comes from its events alone."
            )
        case "differs":
            return _(
                "The code of today does not fit this history, so its line is not known. "
                "%(what)s What is shown of the case comes from its events alone."
            ) % {"what": stood.note}
        case "erased":
            return _(
                "The code leaves its history here, because it %(what)s. What is shown of the case "
                "comes from its events alone."
            ) % {"what": stood.note}
        case "failed":
            return _(
                "The code stops here with an error: %(what)s. What is shown of the case comes from "
                "its events alone."
            ) % {"what": stood.note}
    if not stood.pauses:
        return _("The code had come to its end here, and was about to leave the step.")
    return ""


def diff_of(before: str, after: str) -> list[tuple[str, str]]:
    """The lines that differ, with their surroundings: (gone, new, same or place, text)."""
    told = {"-": "gone", "+": "new", " ": "same", "@": "place"}
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), lineterm="", n=LINES_AROUND
    )
    return [(told[line[0]], line if line[0] == "@" else line[1:]) for line in list(lines)[2:]]


def _paused_lines(pauses: Sequence[Pause], now: StepCode, text: str) -> set[int]:
    """Places, from zero, of the lines of the text that ran on which the code waits. Where today's
    text is another, only a line that both have can be named."""
    through = (at for one in pauses for at in one.through)
    places = {line - now.line for file, line in through if _is_in(file, line, now)}
    if text == now.text:
        return places
    matcher = difflib.SequenceMatcher(
        None, now.text.splitlines(), text.splitlines(), autojunk=False
    )
    return {
        block.b + place - block.a
        for block in matcher.get_matching_blocks()
        for place in places
        if block.a <= place < block.a + block.size
    }


def _is_in(file: str, line: int, now: StepCode) -> bool:
    """Whether a line is of the step's own text, and not of a function that this calls."""
    return file == now.file and 0 <= line - now.line < now.text.count("\n")


def _elsewhere(pauses: Sequence[Pause], now: StepCode) -> list[str]:
    return [
        f"{'/'.join(PurePath(one.file).parts[-2:])}, {one.line}: {one.text}"
        for one in pauses
        if not _is_in(one.file, one.line, now)
    ]
