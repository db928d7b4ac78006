"""The roles that a kind asks for, and whether anybody has them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Warning
from django.db import DatabaseError

from cases.fsm import edges
from cases.models import Person
from processes.checks import places
from processes.checks.reading import Piece, reading_of
from processes.kinds import Kind


def check(kind: Kind) -> Iterator[CheckMessage]:
    """Roles for which there is no active person. Nothing while the database is not there yet."""
    try:
        have = set(
            Person.objects.filter(is_active=True, groups__isnull=False)
            .values_list("groups__name", flat=True)
            .distinct()
        )
    except DatabaseError:
        return
    if not have:
        return  # an installation without people yet
    for role, place in roles_of(kind).items():
        if role not in have:
            yield Warning(
                f"{place}: kind “{kind.name}” asks for the role “{role}”, which nobody has.",
                hint=f"Give somebody the role, or name one of: {', '.join(sorted(have))}.",
                id="processes.W005",
            )


def roles_of(kind: Kind) -> dict[str, str]:
    """The roles that a kind's source names, each with the first place where it does."""
    found: dict[str, str] = {}
    for edge in edges(kind.model):
        if edge.role:
            found.setdefault(edge.role, places.of(getattr(kind.model, edge.name)))
    for staff in kind.staff_steps.values():
        found.setdefault(staff.role, places.of(kind.model))
    for versions in kind.codes.values():
        for code in versions.values():
            for piece in reading_of(code).pieces:
                for node, _called, _thing in piece.calls():
                    for keyword in node.keywords:
                        if keyword.arg == "role":
                            for role in _texts(piece, keyword.value):
                                found.setdefault(role, piece.place(keyword.value))
    return found


def _texts(piece: Piece, node: ast.AST) -> Iterator[str]:
    """The texts that an expression can give, as far as they can be read."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(piece, node.body)
        yield from _texts(piece, node.orelse)
    elif isinstance(node, ast.Call):
        function: Any = piece.stands_for(node.func)
        if inspect.isfunction(function):  # a rule, such as the role that decides an amount
            rule = Piece(function)
            for one in ast.walk(rule.tree):
                if isinstance(one, ast.Return) and one.value is not None:
                    yield from _texts(rule, one.value)
    else:
        thing = piece.stands_for(node)
        if isinstance(thing, str):
            yield thing
