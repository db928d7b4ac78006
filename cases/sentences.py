"""Each event of a history as a sentence for people: a title and a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Protocol

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases import dates, explain
from cases.purposes import PURPOSES
from cases.words import Words, capitalised, party, plain
from timers import clocks


class EventLike(Protocol):
    """An event as audit.read gives it."""

    number: int
    type: str
    actor: str
    on_behalf: str
    happened_at: datetime

    @property
    def data(self) -> Mapping[str, Any]: ...


Said = tuple[str, str]  # title, line
Teller = Callable[[EventLike, Mapping[str, Any], Words], Said]
_tellers: dict[str, Teller] = {}


def say(event: EventLike, words: Words) -> Said:
    """Title and line. An unknown type is told by its name: no event is ever hidden."""
    teller = _tellers.get(event.type)
    title, line = teller(event, event.data, words) if teller else (plain(event.type), "")
    if undone := event.data.get("undoes"):
        title = _("%(what)s (undoes event %(n)s)") % {"what": title, "n": undone}
    return title, line


def value(thing: Any) -> str:
    """A fact as people write it."""
    if thing is None or thing == "":
        return _("nothing")
    if isinstance(thing, bool):
        return _("yes") if thing else _("no")
    if isinstance(thing, datetime):
        return dates.moment(thing)
    if isinstance(thing, date):
        return dates.day(thing)
    if isinstance(thing, (int, float, Decimal)):
        return number_format(thing, use_l10n=True, force_grouping=True)
    if isinstance(thing, Mapping):
        held = {key: item for key, item in thing.items() if item not in (None, "", [], {})}
        return ", ".join(f"{plain(str(key))} {value(item)}" for key, item in held.items())
    if isinstance(thing, (list, tuple)):
        return ", ".join(value(item) for item in thing)
    return str(thing)


def fact_value(field: Any, thing: Any) -> str:
    """A fact as its field has it: the words of a choice, a number with its decimals."""
    if field is not None and field.choices:
        return str(dict(field.flatchoices).get(thing, thing))
    if isinstance(thing, Decimal) and getattr(field, "decimal_places", None) is not None:
        return number_format(thing, field.decimal_places, use_l10n=True, force_grouping=True)
    return value(thing)


def said_fact(words: Words, name: str, thing: Any) -> str:
    """A fact in the words of its kind; "" for one that people need not see."""
    teller = words.kind.fact_words.get(name)
    said = teller(thing) if teller is not None else None
    if said is not None:
        return str(said)
    if isinstance(thing, str) and _PEOPLE.fullmatch(thing):
        return ", ".join(words.person(code) for code in thing.split())
    return fact_value(words.fact_field(name), thing)


_PEOPLE = re.compile(r"person:[0-9]+( person:[0-9]+)*")


def _tells(*types: str) -> Callable[[Teller], Teller]:
    def declare(teller: Teller) -> Teller:
        for one in types:
            _tellers[one] = teller
        return teller

    return declare


def _documents(names: Iterable[str], words: Words) -> str:
    return ", ".join(words.document(name) for name in names)


# -- clocks


@_tells(*clocks.EVENTS)
def _clock_moved(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return explain.told(event.type, data, words.clock(data.get("name", "")))


@_tells("due.moved")
def _due_moved(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    day = dates.day(data["due_at"]) if data.get("due_at") else ""
    title = _("%(what)s is due on %(day)s now") % {"what": plain(data.get("name", "")), "day": day}
    return title, capitalised(str(data.get("why", "")))


# -- the case itself


@_tells("case.opened")
def _case_opened(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = str(data.get("title", ""))
    if data.get("alike"):
        others = ", ".join(data["alike"])
        return _("Case opened, though it may be the same as %(others)s") % {"others": others}, title
    return _("Case opened"), title


@_tells("step.entered")
def _step_entered(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    step = words.step(data["step"])
    reason = data.get("outcome_reason") or data.get("reason") or ""
    if data.get("outcome"):
        return _("Closed: %(outcome)s") % {"outcome": plain(data["outcome"])}, reason
    if data.get("reopened"):
        return _("Opened again at %(step)s") % {"step": step}, reason
    if not data.get("from"):
        return _("Began with %(step)s") % {"step": step}, reason
    if data.get("transition") == "restart":
        return _("Began again with %(step)s") % {"step": step}, reason
    before = _("From %(step)s.") % {"step": words.step(data["from"])}
    return _("Moved to %(step)s") % {"step": step}, f"{before} {reason}".strip()


def _pair(words: Words, name: str, pair: list[Any]) -> dict[str, str]:
    before, after = (said_fact(words, name, one) or value(one) for one in pair)
    return {"before": before, "after": after}


@_tells("facts.changed")
def _facts_changed(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    changes = data.get("changes", {})
    told = [
        _("%(fact)s: %(before)s → %(after)s")
        % {"fact": words.fact(name), **_pair(words, name, pair)}
        for name, pair in changes.items()
    ]
    title = ngettext("%(n)s fact changed", "%(n)s facts changed", len(told)) % {"n": len(told)}
    if len(changes) == 1:
        title = _("%(fact)s changed") % {"fact": words.fact(next(iter(changes)))}
    return title, ". ".join(filter(None, ["; ".join(told), data.get("reason", "")]))


@_tells("case.assigned")
def _case_assigned(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    if not data.get("owner"):
        return _("Caseworker taken off the case"), data.get("reason", "")
    who = words.person(data["owner"])
    return _("Assigned to %(who)s") % {"who": who}, data.get("reason", "")


@_tells("reminder.set")
def _reminder_set(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    day = dates.day(data["due_at"]) if data.get("due_at") else ""
    told = {"who": words.person(data.get("person")), "day": day}
    return _("%(who)s is reminded on %(day)s") % told, data.get("text", "")


@_tells("reminder.came")
def _reminder_came(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("%(who)s was reminded") % {"who": words.person(data.get("person"))}, ""


@_tells("reminder.cancelled")
def _reminder_cancelled(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    who = words.person(data.get("person"))
    return _("%(who)s need not be reminded any more") % {"who": who}, ""


@_tells("hold.placed")
def _hold_placed(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("Held: it must not be destroyed")
    if data.get("of_person"):
        title = _("Held, with all cases of the person: they must not be destroyed")
    return title, data.get("reason", "")


@_tells("hold.lifted")
def _hold_lifted(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("The hold was lifted"), data.get("reason", "")


@_tells("case.erased")
def _case_erased(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("Erased, under certificate %(number)s") % {"number": data.get("certificate", "")}
    return title, _("The people in it can no longer be read of. Its steps and days stay.")


@_tells("case.related")
def _case_related(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Related to %(case)s") % {"case": data.get("reference", "")}, data.get("reason", "")


@_tells("case.parted")
def _case_parted(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("No longer related to %(case)s") % {"case": data.get("reference", "")}
    return title, data.get("reason", "")


@_tells("case.access_opened")
def _access_opened(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    purpose = PURPOSES.get(data.get("purpose", ""), "")
    return _("Restricted case opened: %(purpose)s") % {"purpose": purpose}, data.get("reason", "")


@_tells("note.added")
def _note_added(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    if data.get("strikes"):
        return _("Note that corrects an earlier one"), data.get("text", "")
    return _("Note"), data.get("text", "")


# -- human work


def _task(event: EventLike, data: Mapping[str, Any], words: Words) -> str:
    return words.task_title(data, event.happened_at)


@_tells("task.opened")
def _task_opened(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    line = _("Asked of %(who)s.") % {"who": party(data.get("role", ""))}
    if data.get("due_at"):
        line += " " + _("Due %(day)s.") % {"day": dates.day(data["due_at"])}
    return data.get("title") or plain(data.get("name", "")), line


@_tells("task.claimed")
def _task_claimed(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("%(task)s taken") % {"task": _task(event, data, words)}, ""


@_tells("task.released")
def _task_released(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("%(task)s given back") % {"task": _task(event, data, words)}, data.get("reason", "")


@_tells("task.handed_over")
def _task_handed_over(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("%(task)s handed over to %(who)s") % {
        "task": _task(event, data, words),
        "who": words.person(data.get("to")),
    }
    return title, data.get("reason", "")


@_tells("task.completed")
def _task_completed(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    label = words.outcome(data, event.happened_at)
    return f"{_task(event, data, words)}: {label}", data.get("reason", "")


@_tells("task.taken_back")
def _task_taken_back(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    label = words.outcome(data, event.happened_at)
    title = _("%(task)s: “%(outcome)s” taken back") % {
        "task": _task(event, data, words),
        "outcome": label,
    }
    return title, data.get("reason", "")


@_tells("task.overdue")
def _task_overdue(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("%(task)s overdue") % {"task": _task(event, data, words)}
    return title, _("The supervisors were told.")


@_tells("advice.asked")
def _advice_asked(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("Advice on %(task)s asked of %(who)s") % {
        "who": words.person(data.get("to")),
        "task": words.task_title(data.get("about", {}), event.happened_at),
    }
    return title, data.get("question", "")


@_tells("advice.given")
def _advice_given(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _task(event, data, words)
    if data.get("outcome") == "declined":
        title = _("%(advice)s: cannot advise") % {"advice": title}
    return title, data.get("reason", "")


@_tells("advice.withdrawn")
def _advice_withdrawn(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("%(advice)s: not asked any more") % {"advice": _task(event, data, words)}
    return title, data.get("reason", "")


# -- documents


@_tells("documents.requested")
def _documents_requested(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("Documents asked of %(who)s") % {"who": party(data.get("of", "applicant"))}
    names = _documents(data.get("names", ()), words)
    return title, ". ".join(filter(None, [names, data.get("reason", "")]))


@_tells("document.asked")
def _document_asked(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("%(document)s asked for") % {"document": data.get("title") or plain(data["name"])}
    return title, data.get("reason", "")


@_tells("documents.reminded")
def _documents_reminded(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Reminder sent"), _documents(data.get("names", ()), words)


@_tells("document.received")
def _document_received(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("%(document)s received") % {"document": words.document(data["name"])}
    version = data.get("version", 1)
    name = data.get("filename", "")
    said = _("version %(n)s") % {"n": version}
    return title, f"{name}, {said}" if version > 1 else name


@_tells("document.accepted")
def _document_accepted(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("%(document)s accepted") % {"document": words.document(data["name"])}, ""


@_tells("document.rejected")
def _document_rejected(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("%(document)s rejected") % {"document": words.document(data["name"])}
    return title, data.get("reason", "")


@_tells("document.reconsidered")
def _document_reconsidered(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("%(document)s is to be judged again") % {"document": words.document(data["name"])}, ""


# -- rules


@_tells("table.decided")
def _table_decided(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    line = _("Table version %(version)s, %(because)s") % {
        "version": data.get("version", ""),
        "because": str(data.get("because") or _("no rule")).replace("_", " "),
    }
    return _("Decided by table: %(table)s") % {"table": data.get("title", "")}, line


# -- the outside


@_tells("activity.scheduled")
def _activity_scheduled(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Began: %(what)s") % {"what": plain(data.get("name", ""))}, ""


def tells_something(event: EventLike, words: Words) -> bool:
    """Whether the result of an activity is worth telling: a letter, or an outsider's answer."""
    result = event.data.get("result")
    asked = words.asked.get(event.number, {})
    return is_letter(result) or (bool(result) and asked.get("on", "Longcase") != "Longcase")


def is_letter(result: Any) -> bool:
    return isinstance(result, Mapping) and "letter" in result and "subject" in result


@_tells("activity.completed", "activity.done")
def _activity_completed(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    result: Any = data.get("result")
    if is_letter(result):
        title = _("Letter: %(subject)s") % {"subject": result["subject"]}
        return title, _("To %(who)s") % {"who": result["to"]} if result.get("to") else ""
    if isinstance(result, Mapping) and "mailed" in result:
        if result.get("not_mailed"):
            return _("Letter not mailed: %(subject)s") % {"subject": result["mailed"]}, result[
                "not_mailed"
            ]
        return _("Letter mailed: %(subject)s") % {"subject": result["mailed"]}, ""
    asked = words.asked.get(event.number, {})
    what = plain(asked.get("name") or data.get("name") or "") or _("Work")
    told = value(words.found(result)) if result else ""
    if asked.get("on", "Longcase") == "Longcase":
        return _("Done: %(what)s") % {"what": what}, told
    title = _("%(who)s answered") % {"who": capitalised(party(asked["on"]))}
    return title, f"{what}: {told}" if told else what


@_tells("activity.failed")
def _activity_failed(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    what = plain(words.asked.get(event.number, {}).get("name", ""))
    line = str(data.get("error", ""))
    return _("Work failed for good"), f"{what}: {line}" if what else line


@_tells("activity.attempt_failed")
def _attempt_failed(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("Attempt %(n)s failed") % {"n": data.get("attempt", "")}
    return title, str(data.get("error", ""))


@_tells("activity.attempt_lost")
def _attempt_lost(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("An attempt was lost with its worker"), ""


@_tells("activity.stopped")
def _activity_stopped(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Attempts used up"), str(data.get("error", ""))


@_tells("activity.retried")
def _activity_retried(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Tried again"), ""


@_tells("timer.set")
def _timer_set(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    if data.get("until_clock"):
        return _("Ends with a clock: %(clock)s") % {"clock": words.clock(data["until_clock"])}, ""
    due = dates.moment(data["due_at"]) if data.get("due_at") else ""
    return _("Timer set for %(when)s") % {"when": due}, data.get("words", "")


@_tells("timer.fired")
def _timer_fired(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("The time was up"), ""


@_tells("wait.cancelled")
def _wait_cancelled(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("No longer waited for"), data.get("why", "")


@_tells("message.awaited")
def _message_awaited(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    what = words.message(data.get("name", ""))
    return _("Waits for a message: %(what)s") % {"what": what}, ""


@_tells("message.received", "message.matched")
def _message_received(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("Message received: %(what)s") % {"what": words.message(data.get("name", ""))}
    return title, value(data["data"]) if data.get("data") else ""


@_tells("message.kept")
def _message_kept(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    what = words.message(data.get("name", ""))
    return _("Message kept for later: %(what)s") % {"what": what}, ""


@_tells("message.linked")
def _message_linked(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    what = words.message(data.get("name", ""))
    return _("Message linked to this case: %(what)s") % {"what": what}, ""


@_tells("party.asked")
def _party_asked(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    line = plain(data.get("name", ""))
    if data.get("until"):
        line += ". " + _("Answer wanted by %(day)s.") % {"day": dates.day(data["until"])}
    return _("Asked %(who)s") % {"who": party(data.get("on", ""))}, line


@_tells("party.answered")
def _party_answered(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Answer received"), value(data["data"]) if data.get("data") else ""


@_tells("subcase.opened")
def _subcase_opened(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Sub-case opened"), data.get("reference", "") or data.get("title", "")


@_tells("subcase.closed")
def _subcase_closed(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Sub-case closed"), plain(data.get("outcome", ""))


@_tells("letter.written")
def _letter_written(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    to = data.get("to", "")
    return _("Letter: %(subject)s") % {"subject": data.get("subject", "")}, (
        _("To %(who)s") % {"who": to} if to else ""
    )


@_tells("letter.posted")
def _letter_posted(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Letter posted: %(subject)s") % {"subject": data.get("subject", "")}, ""


@_tells("letter.tried_again")
def _letter_tried_again(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Letter to be sent again: %(subject)s") % {"subject": data.get("subject", "")}, ""


@_tells("letter.sent")
def _letter_sent(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Letter sent"), data.get("subject", "")


# -- the customer's page


@_tells("page.given")
def _page_given(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("Page sent to %(who)s") % {"who": data.get("to", "")}
    day = dates.day(data["until"]) if data.get("until") else ""
    return title, _("Its address is good until %(day)s.") % {"day": day} if day else ""


@_tells("page.revoked")
def _page_revoked(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("Page of %(who)s closed") % {"who": party(data.get("party", ""))}
    return title, data.get("reason", "")


@_tells("code.changed")
def _code_changed(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("Takes changed code: %(change)s") % {"change": data.get("name", "")}, ""


@_tells("code.moved")
def _code_moved(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    title = _("Moved to version %(to)s of the step’s code") % {"to": data.get("to", "")}
    return title, data.get("reason", "")


@_tells("incident.opened")
def _incident_opened(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    if data.get("expected"):  # the code differs from the history
        line = _("Differs at event %(at)s: expected %(expected)s, the code asks for %(came)s")
        return _("Stopped by a fault"), f"{line % data} ({data.get('place', '')})"
    return _("Stopped by a fault"), data.get("title", "")


@_tells("incident.closed")
def _incident_closed(event: EventLike, data: Mapping[str, Any], words: Words) -> Said:
    return _("The fault is mended"), data.get("how", "")
