"""What is structure in the events of a case, and stays readable when its texts are sealed.

Private by default: a text under a key that does not stand here is sealed, of whatever event. Add a
key only for codes, and for words that the authors of a process wrote; never for what somebody said
of a case. Numbers, dates and moments are not texts: a kind says which of its facts are personal.
"""

from __future__ import annotations

from audit.sealing import CHANGES, EACH, FACTS, FREE, PLAIN, Below

_CLOCK = {
    "name": PLAIN,
    "calendar": PLAIN,
    "passed": PLAIN,
    "after_pause": PLAIN,
    "mark": PLAIN,
}
_KEPT = {"name": PLAIN, "key": PLAIN}  # a result that is used again; its result is none of ours

STRUCTURE: dict[str, dict[str, Below]] = {
    EACH: {
        # where the case stands, and under which code
        "step": PLAIN,
        "from": PLAIN,
        "transition": PLAIN,
        "code": PLAIN,
        "place": PLAIN,
        "kind": PLAIN,
        "reference": PLAIN,
        "outcome": PLAIN,
        # what it asks for, of whom, and what follows: the words of the process
        "name": PLAIN,
        "names": PLAIN,
        "on": PLAIN,
        "of": PLAIN,
        "role": PLAIN,
        "party": PLAIN,
        "met": PLAIN,
        "otherwise": PLAIN,
        "limit_then": PLAIN,
        "words": PLAIN,
        "enough": PLAIN,
        "outcomes": PLAIN,
        "unlike": PLAIN,
        "until_clock": PLAIN,
        "mark": PLAIN,
        "how": PLAIN,
        "template": PLAIN,
        "source": PLAIN,
        "by": PLAIN,  # who: person:7
        # files and days
        "digest": PLAIN,
        "media_type": PLAIN,
        "remarks": PLAIN,  # of the look at a file, as codes
        "calendar": PLAIN,
        "holidays": PLAIN,
        # what the kind has a say in
        "facts": FACTS,
        "changes": CHANGES,
        "documents": PLAIN,  # by name, their states
        "clocks": {EACH: _CLOCK},
        "kept": _KEPT,
    },
    "step.entered": {"data": FACTS},
    "subcase.closed": {"facts": FREE},  # of another kind
    "task.opened": {"title": PLAIN},
    "case.opened": {"alike": PLAIN},
    "case.erased": {"certificate": PLAIN, "ground": PLAIN},
    "activity.completed": {"key": PLAIN},
    "incident.opened": {"title": PLAIN},
    "letter.written": {"key": PLAIN},
    "letter.sent": {"key": PLAIN},
    "letter.posted": {"key": PLAIN},
    "letter.tried_again": {"key": PLAIN},
    "table.decided": {
        "title": PLAIN,
        "version": PLAIN,
        "because": PLAIN,  # the words of the rules, not of the case
        "outputs": PLAIN,
        "inputs": FACTS,
    },
}
