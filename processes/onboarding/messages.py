"""What may come from outside for an onboarding, field by field."""

from processes.shapes import shape, text

MESSAGES = {
    # The business tells that something about it has changed: the review comes early.
    "change_reported": shape(what=text),
}
