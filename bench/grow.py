"""Fill a database with very many cases, for measuring pages: copies of a few that really happened.

The demo lives through some cases of each kind. Each is then copied under other names, dates, people
and teams, with all of its events and rows: numbers, chain and fold of every copy are as sound as
those of the original, so `verify` holds for all of them, and what is personal is sealed anew with
a key of each copy. Copies are not in the feed, and files are those of the originals. Only into an
installation of its own that has no other case.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from hashlib import sha256
from json.encoder import encode_basestring as quoted
from math import exp
from typing import Any

from django.db import connection

from audit import keys, sealing
from audit.chain import GENESIS
from audit.codec import utc_text
from audit.record import COLUMNS
from bench.names import Names
from cases.models import Case, Person, Team
from cases.spelling import correctable
from processes.engine import findable
from processes.kinds import kind_of

TEAMS = 300
OPEN_SHARE = 0.12  # of all cases
CHUNK = 2000  # cases that are copied in at a time
COPIED = (  # with the column that names the case; what else there is, a page does not read
    ("cases_task", "case_id"),
    ("cases_requirement", "case_id"),
    ("cases_document", "case_id"),
    ("cases_note", "case_id"),
    ("cases_letter", "case_id"),
    ("cases_notice", "case_id"),
    ("timers_timer", "case_id"),
    ("timers_clock", "case_id"),
    ("processes_activity", "case_id"),
    ("processes_incident", "case_id"),
)
_CASE_COLUMNS = ", ".join(f.column for f in Case._meta.concrete_fields)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PERSON = re.compile(r'"(owner|person|to|before|holder)":(\d+)(?=[,}])|person:(\d+)')


@dataclass(slots=True)
class Template:
    """A case that happened, as its copies are made from."""

    case: Case
    facts: dict[str, Any]
    events: list[tuple[Any, ...]]
    rows: dict[str, list[dict[str, Any]]]
    documents: list[tuple[str, str]]
    said: dict[str, str]  # placeholder -> what stands there in the original
    shifted: dict[int, Shifted] = field(default_factory=dict)  # by weeks


@dataclass(slots=True)
class Shifted:
    """A template so many weeks earlier. Every text is a %-format of what differs by copy."""

    # Before the data, data, what of it is sealed, after it, the rest for COPY
    events: list[tuple[str, str, str | None, str, str]]
    rows: list[tuple[str, bool, str]]  # table, has a number of its own, the line
    case: str
    facts: str


def grow(*, cases: int, events: int, teams: int = TEAMS, tell: Any = print) -> None:
    """Copy until there are so many cases, with about so many events together."""
    began = time.monotonic()
    templates = _templates()
    originals = Case.objects.count()
    rng = random.Random(20261201)
    people = _people(teams)
    names = Names(rng)
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica; SET synchronous_commit = off")
        indexes = _without_indexes(cursor, templates)
        numbers = _next_numbers(cursor)
        picks = _picks(templates, mean=events / cases, rng=rng)
        words: set[str] = set()
        count = 0
        last = Case.objects.order_by("-pk").values_list("pk", flat=True)[0]
        for first in range(originals, cases, CHUNK):
            lines: dict[str, list[str]] = {}
            for number in range(first, min(first + CHUNK, cases)):
                last += 1
                copy = _Copy(next(picks), last, number % teams, rng, names, people)
                count += copy.write(lines, numbers, words)
            _copy_in(cursor, lines)
            if first // CHUNK % 50 == 0:
                tell(f"grow          {first + CHUNK:,} cases, {count:,} events", flush=True)
        _copy_in(cursor, {"cases_searchword (word)": [f"{word}\n" for word in sorted(words)]})
        filled = time.monotonic()
        for statement in indexes:
            cursor.execute(statement)
        for table, number in numbers.items():
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, max(number, 1)]
            )
        cursor.execute("SELECT setval(pg_get_serial_sequence('cases_case', 'id'), %s)", [last])
        cursor.execute("SET session_replication_role = origin")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    tell(
        f"grow          {cases:,} cases with {count:,} events: {filled - began:.0f} s, and "
        f"{time.monotonic() - filled:.0f} s for indexes and statistics",
        flush=True,
    )


# -- what is copied


def _templates() -> list[Template]:
    """Cases of the demo that belong to no other and have none."""
    parents = Case.objects.filter(parent__isnull=False).values("parent")
    found = Case.objects.filter(parent=None).exclude(pk__in=parents).order_by("pk")
    return [_template(case) for case in found]


def _template(case: Case) -> Template:
    kind = kind_of(case.kind)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {COLUMNS} FROM audit_event WHERE case_id = %s ORDER BY number", [case.pk]
        )
        events = cursor.fetchall()
        rows = {table: _rows(cursor, table, column, case.pk) for table, column in COPIED}
        facts = _rows(cursor, kind.model._meta.db_table, "case_ptr_id", case.pk)[0]
    said = {"reference": case.reference}
    for place, name in (("name", (kind.found_by or ("",))[0]), ("email", "email")):
        if facts.get(name):
            said[place] = str(facts[name])
    for name in ("national_id", "registration_number", "id_number"):
        if facts.get(name):
            said["number"] = str(facts[name])
    if case.source_key:
        said["key"] = case.source_key
    documents = [(one["name"], one["filename"]) for one in rows["cases_document"]]
    return Template(case, facts, events, rows, documents, said)


def _rows(cursor: Any, table: str, column: str, case_id: int) -> list[dict[str, Any]]:
    cursor.execute(f'SELECT * FROM "{table}" WHERE "{column}" = %s', [case_id])
    names = [one.name for one in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _picks(templates: list[Template], *, mean: float, rng: random.Random) -> Iterator[Template]:
    """Templates by chance: most of them closed, and about so many events each."""

    def weights(tilt: float) -> list[float]:
        made = [exp(tilt * len(one.events)) for one in templates]
        for is_open, share in ((True, OPEN_SHARE), (False, 1 - OPEN_SHARE)):
            of_these = [i for i, one in enumerate(templates) if one.case.is_open == is_open]
            whole = sum(made[i] for i in of_these)
            for i in of_these:
                made[i] *= share / whole
        return made

    low, high = -2.0, 2.0
    for _ in range(50):
        tilt = (low + high) / 2
        chances = weights(tilt)
        reached = sum(c * len(t.events) for c, t in zip(chances, templates, strict=True))
        low, high = (tilt, high) if reached < mean else (low, tilt)
    while True:
        yield from rng.choices(templates, weights=chances, k=1000)


def _people(count: int) -> list[dict[int, int]]:
    """New teams, each with somebody in the place of every person of the demo: old id -> new id."""
    originals = list(Person.objects.exclude(team=None).prefetch_related("groups"))
    teams = Team.objects.bulk_create([Team(name=f"Team {n:03d}") for n in range(count)])
    new = [
        Person(
            username=f"{one.username}{n:03d}",
            first_name=one.first_name,
            last_name=f"{one.last_name} {n:03d}",
            team=team,
            password=one.password,
        )
        for n, team in enumerate(teams)
        for one in originals
    ]
    new = Person.objects.bulk_create(new)
    roles = Person.groups.through
    roles.objects.bulk_create(
        [
            roles(person_id=person.pk, group_id=group.pk)
            for place, person in enumerate(new)
            for group in originals[place % len(originals)].groups.all()
        ]
    )
    size = len(originals)
    return [
        {0: teams[n].pk} | {one.pk: new[n * size + place].pk for place, one in enumerate(originals)}
        for n in range(count)
    ]


# -- texts as formats


def _shifted(template: Template, weeks: int) -> Shifted:
    if weeks not in template.shifted:
        template.shifted[weeks] = _shift(template, weeks)
    return template.shifted[weeks]


def _shift(template: Template, weeks: int) -> Shifted:
    back = timedelta(weeks=weeks)
    events = []
    for _case, number, type_, data, actor, behalf, happened, recorded, _hash in template.events:
        moments = [utc_text(at - back) for at in (happened, recorded)]
        who = [_format(template, one) for one in (actor, behalf)]
        after = ",".join([quoted(one) for one in who] + [f'"{one}"' for one in moments]) + "]"
        rest = "\t".join([*(_escaped(one) for one in who), *moments])
        before = f",{number},{quoted(type_)},"
        open_, lines = sealing.parted(data, template.case.pk, number)
        told = _format(template, _earlier(open_, back))
        inside = None
        if lines is not None:
            inside = _format(template, _earlier("\n".join(lines), back))
        events.append((before, told, inside, f",{after}", rest))
    rows = []
    for table, found in template.rows.items():
        for row in found:
            has_id = "id" in row
            values = {k: v for k, v in row.items() if k != "id"}
            rows.append((table, has_id, _line(template, values, back)))
    case = {f.column: getattr(template.case, f.attname) for f in Case._meta.concrete_fields}
    case["waits"] = _encoded_waits(template.case)
    case |= {"id": _Raw("%(case)s"), "head_hash": _Raw("%(head)s"), "team_id": _Raw("%(team)s")}
    case["title"] = _Raw("%(title)s")
    return Shifted(events, rows, _line(template, case, back), _line(template, template.facts, back))


class _Raw(str):
    """Taken as it is."""


def _encoded_waits(case: Case) -> str:
    from audit import codec

    return codec.encode(case.waits)


def _line(template: Template, row: dict[str, Any], back: timedelta) -> str:
    return "\t".join(_column(template, name, value, back) for name, value in row.items()) + "\n"


def _column(template: Template, name: str, value: Any, back: timedelta) -> str:
    match value:
        case _Raw():
            return value
        case None:
            return "\\N"
        case bool():
            return "t" if value else "f"
        case datetime():
            return utc_text(value - back)
        case date():
            return (value - back).isoformat()
        case bytes() | memoryview():
            return f"\\\\x{bytes(value).hex()}"
        case int() if name in ("case_id", "case_ptr_id"):
            return "%(case)s"
        case int() if name in ("owner_id", "holder_id", "author_id", "person_id"):
            return f"%({value})s"
        case str() if name == "key" and value.startswith(f"{template.case.pk}."):
            return "%(case)s" + _escaped(value.removeprefix(str(template.case.pk)))
        case str():
            return _escaped(_format(template, _earlier(value, back)))
    return str(value)


def _escaped(text: str) -> str:
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _format(template: Template, text: str) -> str:
    """The text with its placeholders; people by their id."""
    text = text.replace("%", "%%")
    text = _PERSON.sub(lambda m: f"person:%({m[3]})s" if m[3] else f'"{m[1]}":%({m[2]})s', text)
    for place, original in sorted(template.said.items(), key=lambda one: -len(one[1])):
        text = text.replace(original, f"%({place})s")
    return text


def _earlier(text: str, back: timedelta) -> str:
    return _DAY.sub(lambda found: _day_earlier(found[0], back), text)


@cache
def _day_earlier(day: str, back: timedelta) -> str:
    try:
        return (date.fromisoformat(day) - back).isoformat()
    except (ValueError, OverflowError):
        return day


# -- one copy


class _Copy:
    def __init__(
        self,
        template: Template,
        case_id: int,
        team: int,
        rng: random.Random,
        names: Names,
        people: list[dict[int, int]],
    ) -> None:
        self.template, self.case_id = template, case_id
        weeks = rng.randrange(6) if template.case.is_open else 4 * rng.randrange(40)
        self.shifted = _shifted(template, weeks)
        name = names.name()
        year = (template.case.opened_at - timedelta(weeks=weeks)).year
        prefix = template.case.reference.partition("-")[0]
        self.values: dict[str, Any] = {
            "case": case_id,
            "reference": f"{prefix}-{year}-{case_id:06d}",
            "name": name,
            "email": f"{name.lower().replace(' ', '.')}{case_id % 97}@mail.example",
            "number": f"{rng.randrange(10**9):09d}",
            "key": f"{template.case.source_key}-{case_id}",
            "team": people[team][0],
        }
        original = template.said.get("name", "")
        title = template.case.title
        self.values["title"] = title.replace(original, name) if original else title
        self.values |= {str(old): new for old, new in people[team].items()}

    def write(self, lines: dict[str, list[str]], numbers: dict[str, int], words: set[str]) -> int:
        values = _Known(self.values)
        head = GENESIS
        events = lines.setdefault(f"audit_event ({COLUMNS})", [])
        start = f"[{self.case_id}"
        key = self._key(lines)
        for number, (before, data, inside, after, rest) in enumerate(self.shifted.events, start=1):
            if "%" in data:
                data = data % values
            if inside is not None:
                data = sealing.boxed(data, [inside % values], key, number)
            if "%" in after:
                after, rest = after % values, rest % values
            head = sha256(head + f"{start}{before}{data}{after}".encode()).digest()
            kind = before.split('"')[1]
            events.append(
                f"{self.case_id}\t{number}\t{kind}\t{_escaped(data)}\t{rest}\t\\\\x{head.hex()}\n"
            )
        values["head"] = f"\\\\x{head.hex()}"
        case = self.template.case
        lines.setdefault(f"cases_case ({_CASE_COLUMNS})", []).append(self.shifted.case % values)
        table = type(self)._table(case.kind)
        lines.setdefault(table, []).append(self.shifted.facts % values)
        for table, has_id, line in self.shifted.rows:
            text = line % values
            if has_id:
                numbers[table] += 1
                text = f"{numbers[table]}\t{text}"
            lines.setdefault(table, []).append(text)
        self._entry(lines, words)
        return len(self.shifted.events)

    def _key(self, lines: dict[str, list[str]]) -> keys.Key:
        """A new key for the copy, and its row."""
        marks = kind_of(self.template.case.kind).marks(self._facts())
        (made,) = keys.make({self.case_id: marks}, made_at=self.template.case.opened_at)
        persons = ",".join(f'"\\\\x{mark.hex()}"' for mark in made.marks)
        at = utc_text(made.made_at)
        lines.setdefault("audit_casekey (case_id, persons, master, wrapped, made_at)", []).append(
            f"{self.case_id}\t{{{persons}}}\t{made.master}\t\\\\x{made.wrapped.hex()}\t{at}\n"
        )
        return made.key

    def _facts(self) -> dict[str, Any]:
        places = {said: str(self.values[place]) for place, said in self.template.said.items()}
        return {name: places.get(value, value) for name, value in self.template.facts.items()}

    @staticmethod
    def _table(kind: str) -> str:
        return str(kind_of(kind).model._meta.db_table)

    def _entry(self, lines: dict[str, list[str]], words: set[str]) -> None:
        from audit import codec

        case, values = self.template.case, self.values
        row = {
            "id": self.case_id,
            "team_id": values["team"],
            "title": values["title"],
            "reference": values["reference"],
            "source": case.source,
            "source_key": values["key"] if case.source_key else "",
        }
        entry = findable.entry_of(kind_of(case.kind), row, self._facts(), self.template.documents)
        words.update(correctable(entry.text))
        told = _escaped(codec.encode(entry.told))
        lines.setdefault("cases_searchentry (case_id, team_id, told, text)", []).append(
            f"{entry.case_id}\t{entry.team_id}\t{told}\t{_escaped(entry.text)}\n"
        )


class _Known(dict[str, Any]):
    """Whoever has no counterpart in a new team stays who they were."""

    def __missing__(self, key: str) -> str:
        return key


# -- the database


def _copy_in(cursor: Any, lines: dict[str, list[str]]) -> None:
    for table, found in lines.items():
        with cursor.copy(f"COPY {table} FROM STDIN") as copy:
            copy.write("".join(found))


def _without_indexes(cursor: Any, templates: list[Template]) -> list[str]:
    """Drop what is quicker made afterwards; gives the statements that make it."""
    tables = ["audit_event", "audit_casekey", "cases_case", "cases_searchentry", "cases_searchword"]
    tables += [table for table, _column in COPIED]
    tables += sorted({_Copy._table(one.case.kind) for one in templates})
    cursor.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = ANY(%s) AND indexname NOT IN "
        "(SELECT conname FROM pg_constraint)",
        [tables],
    )
    found = cursor.fetchall()
    for name, _definition in found:
        cursor.execute(f'DROP INDEX "{name}"')
    return [definition for _name, definition in found]


def _next_numbers(cursor: Any) -> dict[str, int]:
    numbers = {}
    for table, _column in COPIED:
        cursor.execute(
            "SELECT 1 FROM information_schema.columns WHERE table_name = %s AND column_name = 'id'",
            [table],
        )
        if cursor.fetchone():
            cursor.execute(f"SELECT coalesce(max(id), 0) FROM {table}")
            numbers[table] = cursor.fetchone()[0]
    return numbers
