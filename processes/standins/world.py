"""The services outside, as plain logic: what each answers, and how each can be told to misbehave.

`World.answer` serves the HTTP server (server.py), `World.answer_httpx` the calls of this very
process, for demos and tests.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from typing import Any, NamedTuple

import httpx

from processes.standins.journal import Journal, OtherContent

SERVICES = ("identity", "credit", "appraiser", "bank", "register", "sanctions")
# Made-up names on made-up lists: who shares a word with one is a possible match.
LISTED = {"listman": "Boris Listman", "ghostly": "Ghostly Trading", "phantom": "Phantom Shipping"}
EXPOSED = ("minister", "senator")  # in a name: somebody in public office
MODES = ("ok", "slow", "down", "wrong", "drop", "status", "silent")


class Reply(NamedTuple):
    """An answer. Text instead of data is what a broken service sends."""

    status: int
    body: dict[str, Any] | str


class Broken(Exception):
    """The connection ends without an answer."""


class Wrong(Exception):
    """The caller asked for something that this service does not do."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass
class Behaviour:
    """How a service behaves for the next `times` calls; without a number, until it is changed.

    slow: answers after `seconds`. down: ends the connection and does nothing. wrong: answers what
    makes no sense. drop: does it, then ends the connection. status: answers `status` with
    `reason`. silent (the appraiser): takes orders and never answers them. `answer` is mixed into
    what it sends, such as {"score": 300}; what it did stays what it was.
    """

    mode: str = "ok"
    times: int | None = None
    seconds: float = 0.0
    status: int = 503
    reason: str = "Told to."
    answer: dict[str, Any] = field(default_factory=dict)


@dataclass
class Order:
    """An appraisal that was ordered."""

    order: str
    answer_to: str
    security: str
    value: str
    is_silent: bool = False
    state: str = "ordered"  # ordered, answered, cancelled


class World:
    """All services, with one journal."""

    services = SERVICES

    def __init__(
        self,
        *,
        journal: Journal | None = None,
        ordered: Callable[[Order], None] | None = None,
    ) -> None:
        self.journal = journal or Journal()
        self.lock = threading.Lock()
        self.behaviours: dict[str, list[Behaviour]] = {}
        self.ordered = ordered  # told of each order that is to be answered
        self.orders: dict[str, Order] = {}
        self._recall_orders()

    # -- how they behave

    def behave(self, service: str, mode: str = "ok", **more: Any) -> None:
        """Say how a service behaves. With `times` it joins the queue, else it replaces it."""
        if service not in SERVICES or mode not in MODES:
            raise Wrong(400, f"Services: {', '.join(SERVICES)}. Modes: {', '.join(MODES)}.")
        try:
            behaviour = Behaviour(mode, **more)
        except TypeError as error:
            raise Wrong(400, str(error)) from error
        with self.lock:
            if behaviour.times is None:
                self.behaviours[service] = [behaviour]
            else:
                self.behaviours.setdefault(service, []).insert(0, behaviour)

    def reset(self) -> None:
        with self.lock:
            self.behaviours.clear()

    def _next_behaviour(self, service: str) -> Behaviour:
        with self.lock:
            queue = self.behaviours.get(service, [])
            if not queue:
                return Behaviour()
            first = queue[0]
            if first.times is not None:
                first.times -= 1
                if first.times <= 0:
                    queue.pop(0)
            return first

    # -- answering

    def answer(
        self, method: str, path: str, *, key: str, body: bytes, pause: Callable[[float], None]
    ) -> Reply:
        """Serve one call. Raises Broken where the caller gets no answer at all."""
        service, _, rest = path.strip("/").partition("/")
        if service not in SERVICES:
            return Reply(404, {"reason": f"There is no service “{service}”."})
        if method == "GET":
            return self._look(service, rest)
        self.journal.called(service)
        behaviour = self._next_behaviour(service)
        if behaviour.mode == "slow":
            pause(behaviour.seconds)
        elif behaviour.mode == "down":
            raise Broken
        elif behaviour.mode == "status":
            return Reply(behaviour.status, {"reason": behaviour.reason})
        elif behaviour.mode == "wrong":
            return Reply(200, "<html><body>It works!</body></html>")
        try:
            given = _object(body)
            if not key:
                raise Wrong(400, "An Idempotency-Key is needed.")
            done = getattr(self, f"_{service}")(rest, key, given, behaviour)
        except Wrong as wrong:
            return Reply(wrong.status, {"reason": str(wrong)})
        except OtherContent as other:
            return Reply(422, {"reason": str(other)})
        if behaviour.mode == "drop":
            raise Broken
        return Reply(200, {**done, **behaviour.answer})

    def answer_httpx(self, request: httpx.Request) -> httpx.Response:
        """Serve a call of this process, as httpx.MockTransport wants it."""

        def too_slow(seconds: float) -> None:
            if seconds > 5:
                raise httpx.ReadTimeout("told to be slow", request=request)

        try:
            reply = self.answer(
                request.method,
                request.url.path,
                key=request.headers.get("Idempotency-Key", ""),
                body=request.read(),
                pause=too_slow,
            )
        except Broken as broken:
            raise httpx.RemoteProtocolError("no answer", request=request) from broken
        if isinstance(reply.body, str):
            return httpx.Response(reply.status, text=reply.body)
        return httpx.Response(reply.status, json=reply.body)

    def _look(self, service: str, rest: str) -> Reply:
        if (service, rest) == ("bank", "payouts"):
            return Reply(200, {"bookings": self.journal.of("bank", "booked")})
        if (service, rest) == ("appraiser", "orders"):
            return Reply(200, {"orders": [asdict(order) for order in self.orders.values()]})
        return Reply(404, {"reason": "Nothing to look at here."})

    # -- what each does

    def _identity(
        self, rest: str, key: str, given: dict[str, Any], behaviour: Behaviour
    ) -> dict[str, Any]:
        number = _text(given, "national_id")
        found: dict[str, Any] = {"confirmed": True}
        if number.endswith("00"):
            found = {"confirmed": False, "reason": "The register does not know this number."}
        elif number.endswith("99"):
            found = {"confirmed": False, "reason": "The number belongs to somebody else."}
        return self.journal.once("identity", "checked", key, given, lambda: found)

    def _register(
        self, rest: str, key: str, given: dict[str, Any], behaviour: Behaviour
    ) -> dict[str, Any]:
        number = _text(given, "registration_number")
        found: dict[str, Any] = {"confirmed": True}
        if number.endswith("00"):
            found = {"confirmed": False, "reason": "The register does not know this number."}
        elif number.endswith("99"):
            found = {"confirmed": False, "reason": "The business was dissolved."}
        return self.journal.once("register", "looked up", key, given, lambda: found)

    def _sanctions(
        self, rest: str, key: str, given: dict[str, Any], behaviour: Behaviour
    ) -> dict[str, Any]:
        words = _text(given, "name").casefold().split()
        found = {
            "hits": [
                {"list": "Demo list 1", "entry": LISTED[word], "likeness": 50 + _chance(word, 50)}
                for word in words
                if word in LISTED
            ],
            "is_exposed": any(word in EXPOSED for word in words),
        }
        return self.journal.once("sanctions", "screened", key, given, lambda: found)

    def _credit(
        self, rest: str, key: str, given: dict[str, Any], behaviour: Behaviour
    ) -> dict[str, Any]:
        number, amount = _text(given, "national_id"), _money(given, "amount")
        income = _money(given, "income")
        months = given.get("term_months") or 12
        burden = min(amount / int(months) / income, Decimal(1)) if income else Decimal(1)
        score = 500 + _chance(number, 320) - int(burden * 60)
        if number.endswith("13"):
            score = 401
        return self.journal.once("credit", "scored", key, given, lambda: {"score": score})

    def _bank(
        self, rest: str, key: str, given: dict[str, Any], behaviour: Behaviour
    ) -> dict[str, Any]:
        if rest != "payouts":
            raise Wrong(404, f"The bank does not do “{rest}”.")
        amount = _money(given, "amount")
        if amount <= 0:
            raise Wrong(422, "A payout is of more than 0.")
        booked = {
            "booking": f"B-{_digest(key)[:10].upper()}",
            "amount": str(amount),
            "reference": _text(given, "reference"),
            "key": key,
        }
        return self.journal.once("bank", "booked", key, given, lambda: booked)

    def _appraiser(
        self, rest: str, key: str, given: dict[str, Any], behaviour: Behaviour
    ) -> dict[str, Any]:
        match rest.split("/"):
            case ["orders"]:
                return self._order(key, given, behaviour)
            case ["cancel"]:
                number = _order_number(_text(given, "ordered_by"))
                tombstone = Order(number, "", "", "0")  # an order that comes later is not taken
                self.orders.setdefault(number, tombstone).state = "cancelled"
                return self.journal.once(
                    "appraiser", "cancelled", key, {"order": number}, lambda: {"order": number}
                )
            case ["orders", number, "cancel"]:
                order = self.orders.get(number)  # without one there is nothing left to cancel
                if order is not None and order.state == "ordered":
                    order.state = "cancelled"
                return self.journal.once(
                    "appraiser", "cancelled", key, {"order": number}, lambda: {"order": number}
                )
            case ["orders", number, "chase"]:
                address = _text(given, "answer_to")
                done = self.journal.once(
                    "appraiser", "chased", key, {"order": number}, lambda: {"order": number}
                )
                # One whose journal was lost is taken up all the same.
                order = self.orders.setdefault(number, Order(number, address, "", "100000"))
                order.answer_to = address
                order.is_silent = behaviour.mode == "silent"
                self._tell(order)
                return done
        raise Wrong(404, f"The appraiser does not do “{rest}”.")

    def _order(self, key: str, given: dict[str, Any], behaviour: Behaviour) -> dict[str, Any]:
        amount, security = _money(given, "amount"), _text(given, "security")
        number = _order_number(key)
        if number in self.orders and self.orders[number].state == "cancelled":
            return {"order": number}
        order = Order(
            number,
            _text(given, "answer_to"),
            security,
            str((amount * (95 + _chance(security + str(amount), 100)) / 100).quantize(Decimal(1))),
            is_silent=behaviour.mode == "silent",
        )
        done = self.journal.once(
            "appraiser",
            "ordered",
            key,
            {"amount": str(amount), "security": security},
            lambda: asdict(order),
        )
        if number not in self.orders:
            self.orders[number] = order
            self._tell(order)
        return {"order": done["order"]}

    def _tell(self, order: Order) -> None:
        if self.ordered is not None and order.state == "ordered" and not order.is_silent:
            self.ordered(order)

    def appraise(self, order: Order) -> tuple[str, dict[str, Any]]:
        """The appraiser's answer to an order: the address, and what to send there."""
        return order.answer_to, {"value": order.value, "remarks": f"Appraised as {order.order}."}

    def answered(self, order: Order) -> None:
        """The answer was taken, or nobody wants it any more."""
        order.state = "answered"
        self.journal.once("appraiser", "answered", order.order, {}, lambda: {"order": order.order})

    def _recall_orders(self) -> None:
        """After a restart: the orders of the journal, with what became of them."""
        for one in self.journal.of("appraiser", "ordered"):
            names = ("order", "answer_to", "security", "value", "is_silent")
            self.orders[one["order"]] = Order(**{name: one[name] for name in names})
        for state in ("answered", "cancelled"):
            for one in self.journal.of("appraiser", state):
                number = one["order"]
                self.orders.setdefault(number, Order(number, "", "", "0")).state = state

    def open_orders(self) -> list[Order]:
        return [o for o in self.orders.values() if o.state == "ordered" and not o.is_silent]


def _object(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body or b"{}")
    except ValueError as error:
        raise Wrong(400, "This is no JSON.") from error
    if not isinstance(given, dict):
        raise Wrong(400, "An object is needed.")
    return given


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise Wrong(422, f"“{name}” is needed, as text.")
    return value


def _money(given: dict[str, Any], name: str) -> Decimal:
    try:
        value = Decimal(_text(given, name))
    except InvalidOperation as error:
        raise Wrong(422, f"“{name}” is no amount.") from error
    if not value.is_finite():
        raise Wrong(422, f"“{name}” is no amount.")
    return value


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _chance(text: str, below: int) -> int:
    """A number that looks like chance and is the same each time."""
    return int(_digest(text)[:8], 16) % below


def _order_number(key: str) -> str:
    return f"A-{_digest(key)[:8].upper()}"
