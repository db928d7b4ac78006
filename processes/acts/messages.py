"""Messages for cases: deliver one now, post one for a worker, link one from the tray."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from django.core import signing

from audit import codec
from audit.models import Event
from cases import access, dates
from cases.actors import Actor, service
from cases.errors import CaseClosed, Invalid, NoSuchCase, NotNow
from cases.models import Case, Message
from processes import callbacks
from processes.acts.locking import acting_on, require_open
from processes.engine import inbox
from processes.engine.run import Run
from processes.engine.turn import Turn
from processes.kinds import kind_of
from timers import clock


class Delivery(NamedTuple):
    """What became of a message: used, kept (early), late, or new (a worker will take it)."""

    message_id: int
    state: str
    is_repeat: bool
    sentence: str


def post_message(*, to: str, name: str, data: Any, source: str, key: str, actor: Actor) -> Delivery:
    """Store a message, durable on return; a worker matches it within moments.

    Early messages are kept and used when their step is reached.
    """
    stored = inbox.store(
        source=source,
        key=key,
        name=name,
        to=to,
        data=data,
        actor=actor.code,
        on_behalf=actor.on_behalf,
    )
    return Delivery(stored.id, stored.state, not stored.is_new, "Stored; it reaches its case now.")


def lay_in_tray(
    *, to: str, name: str, data: Any, source: str, key: str, why: str, actor: Actor
) -> Delivery:
    """Keep a message that names no case which its sender reaches; a person links it. Safe to
    repeat. Raises Invalid, SameKeyOtherContent."""
    stored = inbox.store(
        source=source,
        key=key,
        name=name,
        to=to,
        data=data,
        actor=actor.code,
        on_behalf=actor.on_behalf,
        state="unmatched",
        why=why,
    )
    sentence = "It names no case that you reach. It is kept, and a person can link it."
    return Delivery(stored.id, stored.state, not stored.is_new, sentence)


def deliver_message(
    *,
    case_id: int,
    name: str,
    data: Any,
    source: str,
    key: str,
    actor: Actor,
    visit: int | None = None,
) -> Delivery:
    """Give a message to a case now: used if the case waits for it, else kept until it does.

    The same (source, key) again is answered with what became of it and does nothing. Raises
    Invalid (a name or shape this kind does not take), SameKeyOtherContent, NotNow (an answer that
    the case does not wait for, or a step of another `visit` than the one it was given to), and
    CaseClosed: then the message lies in the tray, where a person can link it.
    """
    case = Case.objects.filter(pk=case_id).first()
    if case is None:
        raise NoSuchCase(f"There is no case with number {case_id}.")
    access.require(actor, "work on case", case)
    kind = kind_of(case.kind)
    if kind.messages:
        data = kind.check_message(name, data)
    with Turn() as turn:
        stored = inbox.store(
            source=source,
            key=key,
            name=name,
            to=case.reference,
            data=data,
            actor=actor.code,
            on_behalf=actor.on_behalf,
            state="taking",
        )
        if not stored.is_new:
            if stored.state == "late":
                raise CaseClosed(_too_late(case_id))
            return Delivery(stored.id, stored.state, True, _sentence(stored.state))
        (run,) = turn.lock([case_id], wait=True)
        if not run.is_closed:
            inbox.fitting(run, name, data)
            _require_visit(run, visit)
        message = inbox.Waiting(
            stored.id,
            source,
            key,
            name,
            case.reference,
            inbox.spell(source=source, key=key, name=name, to=case.reference, data=data)[0],
            actor.code,
            actor.on_behalf,
        )
        state = inbox.take(turn, run, message)
    if state == "late":
        raise CaseClosed(_too_late(case_id))
    return Delivery(stored.id, state, False, _sentence(state))


def _require_visit(run: Run, visit: int | None) -> None:
    if visit is not None and visit != run.visit:
        raise NotNow(
            f"{run.reference} has moved on: the message is for visit {visit} of a step, and the "
            f"case is in visit {run.visit}. Read the case before you answer."
        )


def _too_late(case_id: int) -> str:
    case = Case.objects.get(pk=case_id)
    return (
        f"{case.reference} was closed with outcome “{case.outcome}”: the message had no effect. It "
        "lies in the tray."
    )


def _sentence(state: str) -> str:
    return {
        "used": "The case has taken it.",
        "kept": "The case does not wait for it yet. It is kept and used when its step is reached.",
        "late": "It came after the case was closed and lies in the tray.",
    }.get(state, "It is stored and reaches its case in a moment.")


def link_message(*, message_id: int, case_id: int, actor: Actor) -> Delivery:
    """A person gives an unmatched or late message to a case. Linked to it before, it is answered
    with what became of it then. Raises Invalid where the case cannot take it, CaseClosed."""
    access.require(actor, "link message")
    with acting_on(case_id, actor=actor, closed=True) as (turn, run):
        message = Message.objects.select_for_update().filter(pk=message_id).first()
        if message is not None and message.case_id == case_id and message.state in ("used", "kept"):
            return Delivery(message.pk, message.state, True, _sentence(message.state))
        if message is None or message.state not in ("unmatched", "late"):
            raise Invalid("This message lies no longer in the tray.")
        require_open(run)
        try:
            inbox.fitting(run, message.name, message.data)
        except (Invalid, NotNow) as refusal:
            said = f"{run.reference} cannot take this message, so it stays in the tray. {refusal}"
            raise Invalid(said, {"case": said}) from refusal
        waiting = inbox.Waiting(
            message.pk,
            message.source,
            message.key,
            message.name,
            run.reference,
            inbox.codec.encode(message.data),
            message.actor,
            actor.code,
        )
        turn.record(
            run,
            "message.linked",
            {"name": message.name, "source": message.source, "key": message.key},
            actor=actor.code,
        )
        state = inbox.take(turn, run, waiting)
    return Delivery(message.pk, state, False, _sentence(state))


def _was_answered(run: Run, command: int, data: Any) -> bool:
    """Whether this very answer is in history, as it came or as its kind keeps it: a repeat, and no
    second answer."""
    for event in Event.objects.filter(case_id=run.case_id, type="party.answered"):
        if event.data["command"] != command:
            continue
        given = data
        if event.data["name"] in run.kind.messages:
            try:
                given = run.kind.check_message(event.data["name"], data)
            except Invalid:
                continue
        if event.data["data"] == codec.decode(codec.encode({"data": given}))["data"]:
            return True
    return False


def _late_answer(reference: str, token: str, data: Any, *, is_closed: bool) -> Delivery:
    """Nobody waits for it any more: it lies in the tray, once for each content."""
    digest = hashlib.sha256(f"{token} {data!r}".encode()).hexdigest()
    stored = inbox.store(
        source="callback",
        key=digest,
        name="answer",
        to=reference,
        data=data,
        actor="service:callback",
        state="late",
        why="The case was closed." if is_closed else "The case did not wait for it any more.",
    )
    sentence = "The case no longer waits for this answer. It is kept for the people who work on it."
    return Delivery(stored.id, "late", True, sentence)


def answer_callback(*, token: str, data: Any, key: str = "") -> Delivery:
    """A third party answers at its signed address. Raises Invalid (address wrong, altered or
    expired; an answer of a shape that the kind does not take).

    The second answer is told that the first was taken, and changes nothing.
    """
    try:
        case_id, visit, command = callbacks.read(token)
    except signing.BadSignature as error:
        raise Invalid("This address is not one of ours, or was altered on its way.") from error
    with acting_on(case_id, actor=service("callback"), closed=True) as (turn, run):
        asked = run.open.get(command) if run.visit == visit else None
        if asked is None or asked.type != "party.asked" or run.is_closed:
            if _was_answered(run, command, data):
                return Delivery(0, "used", True, "The case has taken this answer before.")
            return _late_answer(run.reference, token, data, is_closed=run.is_closed)
        until = asked.data.get("until")
        if until is not None and clock.now() > until:
            raise Invalid(f"This address was open until {dates.moment(until)}.")
        if asked.data["name"] in run.kind.messages:
            data = run.kind.check_message(asked.data["name"], data)
        inbox.spell(
            source="callback", key=key or token[:200], name=asked.data["name"], to="", data=data
        )
        turn.feed(
            run,
            "party.answered",
            {"command": command, "name": asked.data["name"], "data": data},
            actor=service(asked.data["on"]).code,
        )
    return Delivery(0, "used", False, "Thank you: the case has taken the answer.")
