"""What may come from outside for a fine, field by field."""

from processes.shapes import money, one_of, optional, shape, yes_or_no

RULING = shape(outcome=one_of("upheld", "rejected"))
MESSAGES = {
    "posted": shape(expenses=money),
    "payment": shape(amount=money, in_doubt=optional(yes_or_no, False)),  # in doubt: not cleared
    **dict.fromkeys(("delivered", "appeal_to_prefect", "appeal_to_judge"), shape()),
    **dict.fromkeys(("ruling_of_prefect", "ruling_of_judge"), RULING),
}
