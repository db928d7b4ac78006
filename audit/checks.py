"""Is there what histories are sealed with? Asked before a deployment, and at each start."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from audit import keys, masters

DEMO = "demo"  # the name of the master key that a demo has unless it is given one


@register(Tags.security, deploy=True)
def check_master_keys(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A production has a master key of its own."""
    if not masters.names():
        return [
            Error(
                "There is no master key: personal texts could be neither recorded nor read.",
                hint="Make one with `manage.py masterkey`, set LONGCASE_MASTER_KEYS, keep a copy "
                "apart from the backups.",
                id="audit.E001",
            )
        ]
    if settings.LONGCASE_DEMO and masters.names() == [DEMO]:
        return [
            Error(
                "The master key is the one of demos, which everybody can read.",
                hint="Set LONGCASE_MASTER_KEYS.",
                id="audit.E002",
            )
        ]
    return []


def missing() -> str:
    """Why this installation may not start, in a sentence; empty where it may."""
    if not masters.names():
        return "LONGCASE_MASTER_KEYS is not set. Make a key with `manage.py masterkey`."
    unknown = {n: count for n, count in keys.counts().items() if n and n not in masters.names()}
    if not unknown:
        return ""
    told = ", ".join(f"{name} ({count} cases)" for name, count in unknown.items())
    return (
        f"Keys of cases are wrapped by master keys that LONGCASE_MASTER_KEYS does not have: {told}."
        " Add them behind the current one."
    )
