"""What the database's role of this installation may do to what is append-only.

The tables are those that the trigger guards; so a table that is added with it is among them.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection
from django.utils.translation import gettext as _

# The functions of the triggers: of history, and of the read log.
GUARDS = ["audit_event_is_append_only", "audit_read_is_append_only"]
NOTHING_BUT = "SELECT, INSERT"


@dataclass(frozen=True, slots=True)
class Role:
    """The role under which Longcase runs here."""

    name: str
    is_superuser: bool
    owns: tuple[str, ...]  # append-only tables whose guard it could take away
    changes: tuple[str, ...]  # append-only tables on which it has a right beyond reading and adding

    @property
    def is_bound(self) -> bool:
        return not (self.is_superuser or self.owns or self.changes)


def guarded_tables() -> list[str]:
    """The tables that only grow."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT t.tgrelid::regclass::text FROM pg_trigger AS t JOIN pg_proc AS p "
            "ON p.oid = t.tgfoid WHERE p.proname = ANY(%s) AND NOT t.tgisinternal ORDER BY 1",
            [GUARDS],
        )
        return [name for (name,) in cursor.fetchall()]


def current() -> Role:
    """The role of this very connection."""
    tables = guarded_tables()
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolname, rolsuper FROM pg_roles WHERE rolname = current_user")
        name, is_superuser = cursor.fetchone()
        cursor.execute(
            "SELECT c.oid::regclass::text, pg_has_role(c.relowner, 'USAGE'), "
            "has_table_privilege(c.oid, 'UPDATE') OR has_table_privilege(c.oid, 'DELETE') "
            "OR has_table_privilege(c.oid, 'TRUNCATE') OR has_table_privilege(c.oid, 'TRIGGER') "
            "FROM pg_class AS c WHERE c.oid = ANY(%s::regclass[]) ORDER BY 1",
            [tables],
        )
        rows = cursor.fetchall()
    return Role(
        name,
        is_superuser,
        tuple(table for table, owns, _changes in rows if owns),
        tuple(table for table, owns, changes in rows if changes and not owns),
    )


def trouble() -> str:
    """What the role could do that it should not, in a sentence; empty if nothing."""
    role = current()
    told = {"role": role.name, "tables": ", ".join(role.owns or role.changes)}
    if role.is_superuser:
        return (
            _(
                "Longcase runs as %(role)s, a superuser of the database, who could switch off what "
                "keeps history from being changed. manage.py dbrole makes a role that cannot."
            )
            % told
        )
    if role.owns:
        return (
            _(
                "Longcase runs as %(role)s, which owns the tables of history and could switch off "
                "what keeps them from being changed. manage.py dbrole makes a role that cannot."
            )
            % told
        )
    if role.changes:
        return (
            _(
                "Longcase runs as %(role)s, which has more rights than to read and add on: "
                "%(tables)s. manage.py dbrole takes them away."
            )
            % told
        )
    return ""


def statements(name: str, *, schema: str = "public") -> list[str]:
    """The SQL that lets a role run Longcase, and change or delete nothing of what only grows. To be
    run by the owner of the tables, after each migration."""
    role, there = _quoted(name), _quoted(schema)
    found = [
        f"GRANT USAGE ON SCHEMA {there} TO {role}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {there} TO {role}",
        f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {there} TO {role}",
        f"ALTER DEFAULT PRIVILEGES IN SCHEMA {there} GRANT SELECT, INSERT, UPDATE, DELETE "
        f"ON TABLES TO {role}",
        f"ALTER DEFAULT PRIVILEGES IN SCHEMA {there} GRANT USAGE, SELECT ON SEQUENCES TO {role}",
    ]
    tables = guarded_tables()
    if tables:
        named = ", ".join(tables)
        found.append(f"REVOKE UPDATE, DELETE, TRUNCATE, TRIGGER ON {named} FROM {role}")
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'pgmq'")
        if cursor.fetchone():
            found += [
                f"GRANT USAGE, CREATE ON SCHEMA pgmq TO {role}",
                f"GRANT ALL ON ALL TABLES IN SCHEMA pgmq TO {role}",
                f"GRANT ALL ON ALL SEQUENCES IN SCHEMA pgmq TO {role}",
                f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgmq TO {role}",
            ]
    return found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
