"""What happens in each step of a permit. docs/permit.md tells it in plain words."""

from processes.permit.steps import (
    assessment,
    completeness,
    decision,
    leaving,
    objection,
    receipt,
)

__all__ = ["assessment", "completeness", "decision", "leaving", "objection", "receipt"]
