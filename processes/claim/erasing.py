"""The tables of claims that are no facts, and what becomes of them when a case is erased."""

from processes.erasing.declared import by_case
from processes.erasing.registry import Table, register

register(
    Table("claim.PaymentOrder", of=by_case(), kept=["key", "state"], scrub={"booking": ""}),
)
