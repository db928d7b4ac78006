"""SQL literals for statements of many rows.

A bound parameter costs the client about a microsecond and a half, which is more than all else that
is done for a row. So only free text is bound there. Numbers, moments and digests need no quoting,
and words that come again and again (types, actors, purposes) are quoted by psycopg once.

What these return goes into a statement that has parameters, so a "%" in it is doubled.
"""

from datetime import datetime
from functools import lru_cache

from psycopg import sql

from audit.codec import utc_text


@lru_cache(maxsize=4096)
def word(text: str) -> str:
    return sql.quote(text).replace("%", "%%")


def moment(at: datetime) -> str:
    return f"'{utc_text(at)}'"


def octets(digest: bytes) -> str:
    return f"'\\x{digest.hex()}'"
