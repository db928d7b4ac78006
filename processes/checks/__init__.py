"""What can be known at start: `manage.py check` reads the graph and the steps of each kind.

Each finding names the file and the line, what is wrong with it, and what would work.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Tags, Warning, register
from django.db import Error as DatabaseError

from processes.checks import activities, code, customer, graph, reading, roles, slips
from processes.engine import versions
from processes.kinds import kinds
from processes.proof import role


@register("processes")
def check_kinds(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Each kind: its graph can be walked, each step waits for somebody, its code replays."""
    found: list[CheckMessage] = []
    reading.read_anew()
    for kind in kinds().values():
        found += graph.check(kind)
        found += code.check(kind)
        found += slips.check(kind)
        found += customer.check(kind)
    found += activities.check()
    return found


@register(Tags.database)
def check_roles(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """`manage.py check --database default`, and each `migrate`: somebody has each role."""
    if not databases:
        return []
    return [message for kind in kinds().values() for message in roles.check(kind)]


@register(Tags.database, deploy=True)
def check_database_role(
    app_configs: Any, databases: Any = None, **kwargs: Any
) -> list[CheckMessage]:
    """`manage.py check --deploy --database default`: history is out of reach of our own role."""
    if not databases:
        return []
    said = role.trouble()
    return [Warning(said, id="processes.W030")] if said else []


@register(Tags.security, deploy=True)
def check_anchor_key(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """There is a key that signs anchors."""
    if settings.LONGCASE_ANCHOR_KEYS:
        return []
    return [
        Warning(
            "No anchors of history are made: there is no key to sign them.",
            hint="Set LONGCASE_ANCHOR_KEYS to the output of: openssl rand -hex 32",
            id="processes.W031",
        )
    ]


@register("processes", deploy=True)
def check_versions(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """No open case stands in a version of a step's code that this release does not have."""
    try:
        return [Error(one.sentence, id="processes.E021") for one in versions.missing()]
    except DatabaseError as error:
        said = f"The versions that open cases stand in could not be looked up: {error}"
        return [Info(said.strip(), id="processes.I021")]
