"""Activities: what reaches outside must be safe to try twice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from django.core.checks import CheckMessage, Warning

from processes.activities import definitions
from processes.checks import places
from processes.checks.reading import Piece


def check() -> Iterator[CheckMessage]:
    """Activities whose second attempt nobody could tell from another order."""
    for definition in definitions():
        if definition.inside or definition.repeatable:
            continue
        try:
            piece = Piece(definition.function)
        except (OSError, TypeError, SyntaxError):
            continue
        if not _uses_key(piece):
            yield Warning(
                f"{places.of(definition)}: the activity {definition.name} may be run twice, and "
                "does nothing with attempt.key, by which the outside could know the second time.",
                hint="Pass attempt.key on as the idempotency key. If running it twice does no "
                "harm, say so: @activity(…, repeatable=True). For our own database alone: "
                "inside=True.",
                id="processes.W006",
            )


def _uses_key(piece: Piece) -> bool:
    """Whether it reads `attempt.key` (or `.undoes`), or hands the whole attempt on."""
    first = next((n.arg for n in piece.nodes if isinstance(n, ast.arg)), "attempt")
    for node in piece.nodes:
        if isinstance(node, ast.Attribute) and node.attr in ("key", "undoes"):
            if isinstance(node.value, ast.Name) and node.value.id == first:
                return True
        elif isinstance(node, ast.Call):
            handed = [*node.args, *(k.value for k in node.keywords)]
            if any(isinstance(one, ast.Name) and one.id == first for one in handed):
                return True
    return False
