"""When a shared commit fails: find the case that is to blame, stop it, and let the others go on."""

from __future__ import annotations

import logging

from django.db import InterfaceError, OperationalError

from processes.engine import stopping
from processes.engine.turn import Turn

PASSING = (OperationalError, InterfaceError)  # a deadlock, a lost connection: no case's fault

log = logging.getLogger("longcase.isolation")


def stop_case(case_id: int, error: BaseException) -> bool:
    """Stop a case whose turn could not be written, with an incident that says why, in a commit of
    its own. From then on its events are recorded without running its code, so that nothing which
    comes for it is lost.

    False if the error will pass by itself, or if the case was stopped or closed before, or cannot
    even be read.
    """
    if isinstance(error, PASSING):
        return False
    try:
        with Turn() as turn:
            for run in turn.lock([case_id], wait=True):
                if run.is_closed or run.is_parked:
                    return False
                stopping.stop(turn, run, error)
                turn.project(run)
                return True
        return False
    except Exception:
        log.exception("case_could_not_be_stopped", extra={"case": case_id})
        return False
