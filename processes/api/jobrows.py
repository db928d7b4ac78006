"""Rows of a file of cases, held against the shape of a call that opens one."""

from __future__ import annotations

from collections.abc import Iterable

from processes.acts.jobs import Asked
from processes.api.cases import OpenCase
from processes.api.parsing import unkept
from processes.api.problems import pointers
from processes.jobs.files import Row


class RowCase(OpenCase):
    """As a call has it; the kind may be the job's."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["kind"].required = False


def asked(rows: Iterable[Row], *, kind: str, team: str) -> list[Asked]:
    """The rows as they will be carried out; what has the wrong shape is told with its errors."""
    return [_asked(row, kind=kind, team=team) for row in rows]


def _asked(row: Row, *, kind: str, team: str) -> Asked:
    if said := unkept(row.data):
        return Asked(row.line, {}, [{"pointer": "#", "detail": said}])
    shape = RowCase(data={**({"team": team} if team else {}), **row.data})
    if not kind:
        shape.fields["kind"].required = True
    if shape.is_valid():
        return Asked(row.line, dict(shape.validated_data))
    errors = [{"pointer": at, "detail": told} for at, told in pointers(shape.errors)]
    return Asked(row.line, row.data, errors[:100])
