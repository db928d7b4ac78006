"""Moments as psycopg reads them, in C: Django's own reader takes six times as long as the rest
of an event."""

from typing import Any

import psycopg
from psycopg.pq import Format

_OID = psycopg.adapters.types["timestamptz"].oid


def read_fast(cursor: Any) -> None:
    """Let this cursor, of Django or psycopg, give moments without the detour.

    They are in the connection's time zone, which is UTC for Django's.
    """
    cursor.adapters.register_loader(_OID, psycopg.adapters.get_loader(_OID, Format.TEXT))
