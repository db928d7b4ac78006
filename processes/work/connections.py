"""Is it the database that is away, or is it this piece of work that fails?"""

from __future__ import annotations

import psycopg

# Operational errors by class that concern one transaction, on a connection that goes on.
_OF_ONE_TRANSACTION = (
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
    psycopg.errors.LockNotAvailable,
    psycopg.errors.QueryCanceled,
)


def is_lost(error: BaseException) -> bool:
    """Whether an error, ours or Django's around it, says that the connection is gone."""
    cause = error if isinstance(error, psycopg.Error) else error.__cause__
    return isinstance(cause, (psycopg.OperationalError, psycopg.InterfaceError)) and not isinstance(
        cause, _OF_ONE_TRANSACTION
    )
