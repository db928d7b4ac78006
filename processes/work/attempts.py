"""Running one attempt of an activity, whatever lane it is in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from audit import codec
from processes.activities import Attempt, AttemptCancelled, Refused, definition_of
from processes.engine.stopping import describe, place_of
from processes.work.results import Claim, Done


def run_attempt(
    claim: Claim, report: Callable[[dict[str, Any] | None], None] | None = None
) -> Done | None:
    """Do the work of a claim. None when nobody waits for it any more."""
    try:
        definition = definition_of(claim.name)
        attempt = Attempt(
            key=f"{claim.case_id}.{claim.visit}.{claim.command}",
            number=claim.attempt,
            case_id=claim.case_id,
            on_behalf=claim.on_behalf,
            _report=report,
        )
        result = definition.run(attempt, codec.decode(claim.arguments))
        codec.encode({"result": result})  # what cannot be recorded is the activity's own fault
    except AttemptCancelled:
        return None
    except Refused as refusal:
        return Done(claim, error=describe(refusal), is_final=True, place=place_of(refusal))
    except Exception as error:
        return Done(claim, error=describe(error), place=place_of(error))
    return Done(claim, result=result)
