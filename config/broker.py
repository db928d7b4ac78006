"""The queue of wake-up calls: by default Postgres itself (PGMQ), else Redis or RabbitMQ."""

from typing import TYPE_CHECKING, Any

from psycopg.conninfo import conninfo_to_dict, make_conninfo

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

VISIBILITY_SECONDS = 300  # an unanswered message is given to another worker after this


def transport_options(*, broker_url: str, database_url: str) -> dict[str, Any]:
    """Celery's options for this broker."""
    scheme = broker_url.split(":", 1)[0]
    if scheme == "pgmq":
        return {
            # As keywords: kombu drops `?host=` of a URI, which is where our socket stands.
            "conn_string": make_conninfo(
                **{n: str(v) for n, v in conninfo_to_dict(database_url).items()}
            ),
            "init_extension": False,  # installed as plain SQL by install_pgmq
            "wait_time_seconds": 0,
            "use_notify": True,
            "notify_throttle_interval_ms": 0,
            "polling_interval": 0.25,  # drains a backlog; NOTIFY wakes an idle worker
            "pool_size": 2,
            "pool_timeout": 5,
            "visibility_timeout": VISIBILITY_SECONDS,
        }
    if scheme in {"redis", "rediss"}:
        return {"visibility_timeout": VISIBILITY_SECONDS}
    if scheme in {"amqp", "amqps"}:
        return {"confirm_publish": True}
    return {}


def install_pgmq(connection: "BaseDatabaseWrapper") -> bool:
    """Put PGMQ's tables and functions into the database, once. Says whether it did."""
    from django.db import transaction
    from pgmq import get_embedded_install_sql

    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        # Two machines may start at once: the second waits here and then finds the schema.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('longcase.pgmq'))")
        cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'pgmq'")
        if cursor.fetchone():
            return False
        cursor.execute(get_embedded_install_sql())
    return True
