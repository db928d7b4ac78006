"""What pages cost on very many cases: server time and queries, through Django's own client."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from bench.grow import grow
from bench.installation import Installation
from cases.models import Case, Person, Task
from processes.engine.verify import verify

ROUNDS = 60  # requests of each page


def pages(installed: Installation, *, size: int, events: int) -> Iterator[str]:
    """Fill the installation, then ask for each page many times, each time about something else."""
    grow(cases=size, events=events)
    rng = random.Random(7)
    yield _sample_is_sound(rng, size)
    yield f"pages         {'':42} p50 ms  p95 ms  CPU ms  queries"
    for what, person, address in _asked(rng):
        yield measured(installed, what, person, address)


def _sample_is_sound(rng: random.Random, size: int) -> str:
    pks = Case.objects.filter(pk__in=rng.sample(range(1, size), 200))
    references = list(pks.values_list("reference", flat=True))
    wrong = list(verify(references=references))
    assert not wrong, wrong[:3]
    return f"verify        {len(references)} of them, by chance: chains and rows are sound"


Address = Callable[[], str]


def _asked(rng: random.Random) -> Iterator[tuple[str, Person, Address]]:
    """A page, who asks for it, and its next address."""
    held = Task.objects.filter(state="open", is_review=True).exclude(holder=None)
    reviewer = held.order_by("-pk")[0].holder
    worker = Case.objects.filter(closed_at=None, team__name="Team 007").exclude(owner=None)[0].owner
    supervisor = Person.objects.filter(groups__name="supervisor", team__name="Team 007")[0]
    auditor = Person.objects.filter(groups__name="auditor")[0]
    mine = list(Case.objects.filter(team=worker.team_id).order_by("pk")[:2000])
    everybodys = list(Case.objects.order_by("-pk")[:3000])

    def address(name: str, **asked: str) -> Address:
        from urllib.parse import urlencode

        return lambda: f"{reverse(name)}?{urlencode(asked)}"

    def of(cases: list[Case], how: Callable[[Case], str]) -> Address:
        return lambda: how(rng.choice(cases))

    def family(case: Case) -> str:
        return case.title.split()[-1]

    def find(text: str) -> str:
        from urllib.parse import urlencode

        return f"{reverse('find')}?{urlencode({'find': text, 'page': 1})}"

    def misspelt(text: str) -> str:
        place = rng.randrange(1, max(2, len(text) - 1))
        return (
            text[:place] + text[place + 1 : place + 2] + text[place : place + 1] + text[place + 2 :]
        )

    for tab in ("mine", "waiting", "queue", "reviews", "done"):
        yield f"my work, {tab}, caseworker", worker, address("my-work", show=tab)
    for tab in ("mine", "queue", "reviews"):
        yield f"my work, {tab}, reviewer", reviewer, address("my-work", show=tab)
    yield "my work, queue, supervisor", supervisor, address("my-work", show="queue")
    yield "find a reference", worker, of(mine, lambda case: find(case.reference))
    yield "find a part of one", worker, of(mine, lambda case: find(case.reference[-5:]))
    yield "find a family name", worker, of(mine, lambda case: find(family(case)))
    yield "find a whole name", worker, of(mine, lambda case: find(case.title))
    yield "find a misspelt name", worker, of(mine, lambda case: find(misspelt(family(case))))
    yield "find what nobody has", worker, of(mine, lambda case: find("qqx" + family(case)))
    yield "find the commonest name", worker, address("find", find="jansen", page="1")
    yield "find a word of all files", worker, address("find", find="pdf", page="1")
    yield "reviewer finds a name", reviewer, of(mine, lambda case: find(family(case)))
    yield "auditor finds a whole name", auditor, of(everybodys, lambda case: find(case.title))
    yield (
        "auditor finds a misspelt name",
        auditor,
        of(everybodys, lambda case: find(misspelt(family(case)))),
    )
    yield "auditor finds the commonest name", auditor, address("find", find="jansen", page="1")
    yield "case page", worker, of(mine, lambda case: case.get_absolute_url())
    yield "case page, history", worker, of(mine, lambda case: case.get_absolute_url() + "history/")
    yield "case page, auditor", auditor, of(everybodys, lambda case: case.get_absolute_url())
    yield "cases, caseworker", worker, address("cases")
    yield "cases, page 5", worker, address("cases", page="5")
    yield "cases of one kind, overdue", worker, address("cases", kind="loan", due="late")
    yield "cases, closed ones", worker, address("cases", state="closed")
    yield (
        "cases with a word",
        worker,
        of(mine, lambda case: f"{reverse('cases')}?state=all&find={family(case)}"),
    )
    yield "cases, reviewer", reviewer, address("cases")
    yield "cases, auditor", auditor, address("cases")
    yield "cases, all of them, auditor", auditor, address("cases", state="all", kind="permit")
    here = reverse("team", args=[supervisor.team_id])
    yield "team page, supervisor", supervisor, lambda: here
    yield "cases of the team, late", supervisor, lambda: f"{here}cases/?due=late"


def measured(installed: Installation, what: str, person: Person, address: Address) -> str:
    """One page, asked for many times: a line of the report."""
    client = Client()
    client.force_login(person, backend="cases.backend.PersonBackend")

    def ask() -> float:
        there = address()
        began = time.perf_counter()
        answer = client.get(there)
        took = 1000 * (time.perf_counter() - began)
        went = answer.headers.get("Location", "")  # finding one case alone leads to it
        assert answer.status_code == 200 or "/cases/" in went, (there, answer.status_code, went)
        return took

    times: list[float] = []
    ask()  # templates are read once
    spent = installed.cpu_seconds() + time.process_time()
    end = time.monotonic() + 15
    while len(times) < ROUNDS and time.monotonic() < end:
        times.append(ask())
    spent = 1000 * (installed.cpu_seconds() + time.process_time() - spent) / len(times)
    with CaptureQueriesContext(connection) as queries:
        ask()
    times.sort()
    p95 = times[min(len(times) - 1, int(0.95 * len(times)))]
    return (
        f"  {what:54} {statistics.median(times):6.1f}  {p95:6.1f}  {spent:6.1f}  {len(queries):7}"
    )
