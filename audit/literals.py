"""SQL literals for statements of many rows.

A bound parameter costs the client about a microsecond and a half, which is more than all else that
is done for a row. So these statements are written out whole, and sent without parameters.
"""

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any

from psycopg import sql

from audit.codec import utc_text


def text(value: str) -> str:
    """As libpq's own PQescapeLiteral: right whatever the server says of backslashes."""
    if "\0" in value:
        raise ValueError("Text with a NUL character cannot be stored.")
    quoted = value.replace("'", "''")
    if "\\" in quoted:
        return " E'" + quoted.replace("\\", "\\\\") + "'"
    return f"'{quoted}'"


word = lru_cache(maxsize=4096)(text)  # those that come again and again: types, actors, purposes


def moment(at: datetime) -> str:
    return f"'{utc_text(at)}'"


def octets(digest: bytes) -> str:
    return f"'\\x{digest.hex()}'"


def literal(value: Any) -> str:
    """Any value of a column. What is rare is left to psycopg."""
    spell = _SPELLINGS.get(type(value))
    return spell(value) if spell is not None else sql.quote(value)


_SPELLINGS: dict[type, Callable[[Any], str]] = {
    str: text,
    int: str,
    type(None): lambda _: "NULL",
    bool: lambda truth: "true" if truth else "false",
    datetime: moment,
    bytes: octets,
    memoryview: octets,
}
