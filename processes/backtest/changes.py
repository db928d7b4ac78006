"""A change to try, from what people name: another version, a file of code, a file of a table."""

from __future__ import annotations

import importlib.util
import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

from cases.errors import Invalid
from processes.backtest.trial import Change
from processes.decisions.csvfile import parse_csv
from processes.decisions.errors import BadTable
from processes.engine.runner import StepCode
from processes.handbook.book import tables_of
from processes.kinds import Kind


def of_version(kind: Kind, step: str, version: int) -> Change:
    """A version of a step's code that this release has, for all who come by it. Raises Invalid."""
    code = kind.code_of(step, version)
    if code is None:
        known = ", ".join(str(one) for one in sorted(kind.codes.get(step, {}))) or "none"
        raise Invalid(
            f"Step “{step}” of {kind.name} has no version {version}. It has: {known}.",
            {"version": f"There is: {known}."},
        )
    return Change(codes={step: code})


def of_table(kind: Kind, text: str, *, file: str) -> Change:
    """The version of a decision table in a CSV file. Raises Invalid: what is wrong with the file,
    or that the kind has no such table."""
    try:
        version = parse_csv(text, file=file)
    except BadTable as error:
        raise Invalid(str(error), {"table": str(error)}) from error
    table = next((one for one in tables_of(kind) if one.name == version.name), None)
    if table is None:
        words = f"{kind.title} has no decision table “{version.name}”."
        raise Invalid(words, {"table": words})
    wanted = ({one.name for one in table.newest.inputs}, {one.name for one in table.newest.outputs})
    has = ({one.name for one in version.inputs}, {one.name for one in version.outputs})
    if has != wanted:
        words = (
            f"The table of {file} has the columns {', '.join(sorted(has[0] | has[1]))}; "
            f"“{version.name}” has {', '.join(sorted(wanted[0] | wanted[1]))}."
        )
        raise Invalid(words, {"table": words})
    return Change(tables={(table.owner, table.name): version})


def of_file(kind: Kind, step: str, path: Path) -> Change:
    """The code of a step in a file of Python: its one function that is `async`, or the one that has
    the step's name. It runs as step code does, under the same watch. Raises Invalid."""
    now = kind.code_of(step)
    if now is None:
        raise Invalid(f"Step “{step}” of {kind.name} has no code.", {"step": "It has no code."})
    spec = importlib.util.spec_from_file_location(f"tried_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise Invalid(f"{path} is no file of Python.", {"code": "It is no file of Python."})
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise Invalid(f"{path} cannot be loaded: {error}", {"code": str(error)}) from error
    return Change(codes={step: _code(now, _function(module, step, path), path)})


def _function(module: Any, step: str, path: Path) -> Any:
    own = {
        name: one
        for name, one in vars(module).items()
        if inspect.iscoroutinefunction(one) and one.__module__ == module.__name__
    }
    if step in own:
        return own[step]
    if len(own) == 1:
        return next(iter(own.values()))
    words = f"{path} has {len(own)} async functions and none of the name “{step}”."
    raise Invalid(words, {"code": words})


def _code(now: StepCode, function: Any, path: Path) -> StepCode:
    line = function.__code__.co_firstlineno
    return replace(now, function=function, file=str(path), line=line, digest="", text="")
