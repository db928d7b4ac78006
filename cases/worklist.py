"""My work: what needs a person, what waits for others, what nobody has, and what they have done.

Each tab is made of a few queries over cases and tasks. All of its counts and the rows of one page
come in one statement, and what the rows show in two more, however many there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Case as Choose
from django.db.models import (
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.utils import timezone

from cases import access, dates
from cases.absence import away_until
from cases.counting import COUNTED_TO, Sql, count_sql, sql_of, union_of
from cases.models import Case, Document, Person, Reminder, Task
from cases.queries import is_number, near_until
from cases.words import of_steps

PAGE_ROWS = 50
TABS = ("mine", "waiting", "queue", "reviews", "done")
LEVELS = ("late", "near", "later", "never")
# How the rows of a tab can be put in order; "-" before it turns it round.
SORTS = ("due", "case", "step")


@dataclass(frozen=True, slots=True)
class WorkChoice:
    """How a person narrowed their work. Empty means all."""

    kind: str = ""
    step: str = ""
    waiting: str = ""
    due: str = ""  # late, near, later, never
    owner: str = ""  # nobody, or a person's id
    sort: str = ""


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One line of a person's work: a task, or a case that needs them."""

    case: Case
    task: Task | None
    why: str  # your-turn, returned, new, answer, offered, nobody, waiting, done
    due_at: datetime | None
    due: dates.Due | None
    level: str  # late, near, later, never
    to_do: str = ""  # the title of the task that a case waits for
    remind_at: datetime | None = None

    @property
    def url(self) -> str:
        return (self.task if self.task is not None else self.case).get_absolute_url()

    @property
    def key(self) -> str:
        """What a form says of a row that was chosen: which one, and the last event seen of it."""
        what = f"t{self.task.pk}" if self.task is not None else f"c{self.case.pk}"
        return f"{what}.{self.case.head_number}"


@dataclass(slots=True)
class Worklist:
    """One page of one tab of my work. `found` counts what the filters leave, by how pressing."""

    tab: str
    choice: WorkChoice
    counts: dict[str, int]
    found: dict[str, int]
    rows: list[WorkRow] = field(default_factory=list)
    page: int = 1
    has_next: bool = False

    @property
    def total(self) -> int:
        return min(sum(self.found.values()), COUNTED_TO + 1)

    @property
    def is_narrowed(self) -> bool:
        return any(getattr(self.choice, name) for name in FILTERS)

    @property
    def groups(self) -> list[tuple[str, int, list[WorkRow]]]:
        """Rows by how pressing they are; in one group where they are in another order."""
        if self.tab == "done" or self.choice.sort.lstrip("-") not in ("", "due"):
            return [("", 0, self.rows)] if self.rows else []
        levels = dict.fromkeys(row.level for row in self.rows)
        return [
            (level, self.found[level], [row for row in self.rows if row.level == level])
            for level in levels
        ]


FILTERS = ("kind", "step", "waiting", "due", "owner")


def my_work(person: Person, *, tab: str, choice: WorkChoice, page: int, now: datetime) -> Worklist:
    """One page of one tab, in the order that was asked for, with how many there are of all."""
    sources = _sources(person, now)
    near = near_until(person.team_id, now)
    narrowed = [_narrowed(part, choice, now=now, near=near) for part in sources[tab]]
    first = (page - 1) * PAGE_ROWS
    counts, found, lines = _read(
        sources,
        narrowed,
        order=_order(tab, choice.sort),
        window=(first, PAGE_ROWS + 1),
        now=now,
        near=near,
    )
    rows = _rows(lines[:PAGE_ROWS], person=person, now=now, near=near)
    return Worklist(tab, choice, counts, found, rows, page, len(lines) > PAGE_ROWS)


def chosen_of_all(
    person: Person, *, tab: str, choice: WorkChoice, now: datetime, most: int
) -> list[WorkRow]:
    """All rows of a tab as it is narrowed, up to `most`, in their order: to act on them."""
    near = near_until(person.team_id, now)
    narrowed = [_narrowed(part, choice, now=now, near=near) for part in _sources(person, now)[tab]]
    order = _order(tab, choice.sort)
    _counts, _found, lines = _read({}, narrowed, order=order, window=(0, most), now=now, near=near)
    return _rows(lines, person=person, now=now, near=near)


# -- what a tab is made of


@dataclass(frozen=True, slots=True)
class Source:
    """Rows of one sort. `why` is a word, or an expression that finds it."""

    rows: QuerySet[Any]
    why: Any


def next_tasks(person: Person) -> list[QuerySet[Task]]:
    """Tasks this person could take, in parts that share none; in each the most pressing first."""
    barred = f'"person:{person.pk}"'
    return [
        part.exclude(unlike__contains=barred).order_by(F("due_at").asc(nulls_last=True), "id")
        for part in access.offered_parts(person)
    ]


def next_cases(person: Person) -> QuerySet[Case]:
    """Cases of this person's teams that nobody has and no offered task leads to, in that order."""
    if not access.may(person, "open case"):
        return Case.objects.none()
    offered = Task.objects.filter(
        case=OuterRef("pk"), state="open", holder=None, role__in=person.roles
    ).exclude(unlike__contains=f'"person:{person.pk}"')
    return (
        access.cases_of_team(person)
        .filter(owner=None, closed_at=None)
        .filter(~Exists(offered))
        .order_by(F("waiting_until").asc(nulls_last=True), "id")
    )


def _sources(person: Person, now: datetime) -> dict[str, list[Source]]:
    today = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    monday = today - timedelta(days=today.weekday())
    owned = Case.objects.filter(owner=person, closed_at=None)
    held = Task.objects.filter(holder=person, state="open")
    unheld = owned.filter(~Exists(held.filter(case=OuterRef("pk"))))
    answered = Exists(Document.objects.filter(case=OuterRef("pk"), state="received"))
    turn = Q(waiting_on__in=sorted(person.roles))
    offered, nobody = next_tasks(person), next_cases(person)
    returned, fresh = _returned(person), Q(opened_at__gte=today)
    mine = Choose(
        When(returned, then=Value("returned")),
        When(fresh, then=Value("new")),
        default=Value("your-turn"),
    )
    free = Choose(When(fresh, then=Value("new")), default=Value("offered"))
    of_nobody = Choose(When(fresh, then=Value("new")), default=Value("nobody"))
    done = Task.objects.filter(closed_by=f"person:{person.pk}", state="done", closed_at__gte=monday)
    case_turn = Choose(When(fresh, then=Value("new")), default=Value("your-turn"))
    return {
        "mine": [
            Source(held, mine),
            Source(unheld.filter(answered), Value("answer")),
            Source(unheld.filter(~answered & turn), case_turn),
        ],
        "waiting": [Source(unheld.filter(~answered & ~turn), Value("waiting"))],
        "queue": [*(Source(part, free) for part in offered), Source(nobody, of_nobody)],
        "reviews": [
            Source(held.filter(is_review=True), mine),
            *(Source(part.filter(is_review=True), free) for part in offered),
        ],
        "done": [Source(done, Value("done"))],
    }


def _returned(person: Person) -> Q:
    """A task that this person has decided before, on the same case: it came back to them."""
    before = Task.objects.filter(
        case=OuterRef("case"),
        name=OuterRef("name"),
        closed_by=f"person:{person.pk}",
        opened_number__lt=OuterRef("opened_number"),
    )
    return Q(Exists(before))


# -- narrowing and ordering


def _narrowed(source: Source, choice: WorkChoice, *, now: datetime, near: datetime) -> Source:
    rows = source.rows
    case = "case__" if rows.model is Task else ""
    for name, column in (("kind", "kind"), ("step", "step"), ("waiting", "waiting_on")):
        if wanted := getattr(choice, name):
            rows = rows.filter(**{f"{case}{column}": wanted})
    if choice.owner == "nobody":
        rows = rows.filter(**{f"{case}owner": None})
    elif is_number(choice.owner):
        rows = rows.filter(**{f"{case}owner": int(choice.owner)})
    due = _due_of(rows)
    match choice.due:
        case "late":
            rows = rows.filter(**{f"{due}__lt": now})
        case "near":
            rows = rows.filter(**{f"{due}__gte": now, f"{due}__lt": near})
        case "later":
            rows = rows.filter(**{f"{due}__gte": near})
        case "never":
            rows = rows.filter(**{due: None})
    return Source(rows, source.why)


def _due_of(rows: QuerySet[Any]) -> str:
    return "due_at" if rows.model is Task else "waiting_until"


_ORDERS = {
    "due": "due_at {way} NULLS LAST",
    "case": "lower(title) {way}",
    "step": "step {way}, due_at ASC NULLS LAST",
}


def _order(tab: str, sort: str) -> str:
    name = sort.removeprefix("-")
    way = "DESC" if sort.startswith("-") else "ASC"
    if tab == "done" and name not in ("case", "step"):
        return f"due_at {'ASC' if sort == 'due' else 'DESC'}, task_id DESC"
    order = _ORDERS.get(name, _ORDERS["due"]).format(way=way)
    return f"{order}, case_id, task_id"


def _columns(source: Source, *, done: bool, most: int | None = None) -> Sql | None:
    """A source as rows of why, case_id, task_id, due_at, title, step; the `most` that are due
    first, or all."""
    rows = source.rows.order_by()
    if most is not None:
        rows = rows.order_by(F(_due_of(rows)).asc(nulls_last=True), "id")[:most]
    if rows.model is Task:
        due = "closed_at" if done else "due_at"
        found = rows.values_list(source.why, "case_id", "id", due, "case__title", "case__step")
    else:
        no_task = Value(None, output_field=Task._meta.pk)
        found = rows.values_list(source.why, "id", no_task, "waiting_until", "title", "step")
    return sql_of(found)


def _dues(source: Source, *, done: bool) -> Sql | None:
    """When the rows of a source are due: all that counting them needs."""
    due = "closed_at" if done and source.rows.model is Task else _due_of(source.rows)
    return sql_of(source.rows.order_by().values_list(due)[: COUNTED_TO + 1])


# -- reading


Line = tuple[str, int, int | None, datetime | None]  # why, case, task, due

_NOTHING: Sql = (
    "SELECT NULL, NULL::bigint, NULL::bigint, NULL::timestamptz, NULL, NULL WHERE false",
    (),
)
_NO_DUE: Sql = ("SELECT NULL::timestamptz WHERE false", ())


def _read(
    sources: Mapping[str, Sequence[Source]],
    narrowed: Sequence[Source],
    *,
    order: str,
    window: tuple[int, int],
    now: datetime,
    near: datetime,
) -> tuple[dict[str, int], dict[str, int], list[Line]]:
    """Counts of the tabs, counts of the narrowed tab by how pressing, and a page of its rows: in
    one statement."""
    texts: list[str] = []
    values: list[Any] = []
    for name, parts in sources.items():
        text, params = count_sql([part.rows for part in parts])
        texts.append(f'{text} AS "{name}"')
        values += params
    is_done = any(isinstance(one.why, Value) and one.why.value == "done" for one in narrowed)
    dues = union_of([_dues(part, done=is_done) for part in narrowed]) or _NO_DUE
    # By due date each part gives its own first rows by its index, however many there are.
    most = sum(window) if order == _order("", "") else None
    first = union_of([_columns(part, done=is_done, most=most) for part in narrowed]) or _NOTHING
    names = "why, case_id, task_id, due_at, title, step"
    counted = (
        "SELECT count(*) FILTER (WHERE due_at < %s) AS late,"
        " count(*) FILTER (WHERE due_at >= %s AND due_at < %s) AS near,"
        " count(*) FILTER (WHERE due_at >= %s) AS later,"
        " count(*) FILTER (WHERE due_at IS NULL) AS never"
        f" FROM (SELECT due_at FROM ({dues[0]}) AS narrowed (due_at)"
        f" LIMIT {COUNTED_TO + 1}) AS counted"
    )
    page = (
        "SELECT ordered.*, row_number() OVER () AS place FROM ("
        f"SELECT why, case_id, task_id, due_at FROM ({first[0]}) AS listed ({names})"
        f" ORDER BY {order} OFFSET {window[0]:d} LIMIT {window[1]:d}) AS ordered"
    )
    heads = "".join(f"{text}, " for text in texts)
    statement = (
        f"SELECT {heads}levels.late, levels.near, levels.later, levels.never,"
        " page.why, page.case_id, page.task_id, page.due_at"
        f" FROM ({counted}) AS levels LEFT JOIN ({page}) AS page ON true ORDER BY page.place"
    )
    values += [now, now, near, near, *dues[1], *first[1]]
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows = cursor.fetchall()
    n = len(texts)
    counts = dict(zip(sources, rows[0][:n], strict=True))
    found = dict(zip(LEVELS, rows[0][n : n + 4], strict=True))
    return counts, found, [row[n + 4 :] for row in rows if row[n + 5] is not None]


def _rows(lines: Sequence[Line], *, person: Person, now: datetime, near: datetime) -> list[WorkRow]:
    """What the page shows of these: two queries."""
    mine = Reminder.objects.filter(case=OuterRef("pk"), person=person).values("due_at")
    cases: dict[int, Any] = {
        case.pk: case
        for case in Case.objects.filter(pk__in={line[1] for line in lines})
        .select_related("owner", "team")
        .annotate(remind_at=Subquery(mine[:1]), owner_away=away_until("owner"))
    }
    wanted = Q(pk__in=[line[2] for line in lines if line[2]])
    waiting = [line[1] for line in lines if line[2] is None]
    tasks = Task.objects.filter(wanted | Q(case__in=waiting, state="open"))
    tasks = tasks.select_related("holder").annotate(holder_away=away_until("holder"))
    by_id = {task.pk: task for task in tasks.order_by("-opened_number")}
    first_of = {task.case_id: of_steps(task.title) for task in by_id.values() if task.is_open}
    found = []
    for why, case_id, task_id, due_at in lines:
        case, task = cases.get(case_id), by_id.get(task_id or 0)
        if case is None or (task_id and task is None):
            continue  # gone since the statement before
        if task is not None:
            task.case = case
        due = dates.due(due_at, now, near_until=near) if due_at else None
        level = "never" if due is None else due.level or "later"
        is_task_waited = bool(case.waits) and case.waits[0]["kind"] == "task"
        to_do = first_of.get(case_id, "") if task is None and is_task_waited else ""
        found.append(WorkRow(case, task, why, due_at, due, level, to_do, case.remind_at))
    return found
