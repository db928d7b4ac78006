"""Which pages there are, and who may open which: found by following every link as each person.

Nobody lists pages by hand: one that no link leads to is told by its absence.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from django.http import HttpResponse
from django.test import Client
from django.urls import Resolver404, URLPattern, get_resolver, resolve

from cases.models import Person

EXPLORED = 3  # addresses of one sort that each person follows
_LINK = re.compile(r'<a\b[^>]*?\shref="([^"]+)"')
_FORM = re.compile(r'<form\b(?![^>]*method="post")[^>]*?\saction="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Screen:
    """One page as one person sees it."""

    name: str  # of its address: operations/incidents/<int:pk>/
    address: str
    person: Person | None
    size: int  # bytes

    def __str__(self) -> str:
        return f"{self.name} ({self.person.username if self.person else 'nobody'}, {self.address})"


def routes() -> Iterator[str]:
    """Every address that the pages have; the API's are none of them."""

    def walk(patterns: Iterable[Any], before: str) -> Iterator[str]:
        for one in patterns:
            route = before + str(one.pattern)
            if isinstance(one, URLPattern):
                yield route
            else:
                yield from walk(one.url_patterns, route)

    for route in walk(get_resolver().url_patterns, ""):
        if not route.startswith(("api/", "health", "ready", "static/", ".well-known/")):
            yield route


def screens_of(people: Iterable[Person], *, begin: tuple[str, ...] = ("/",)) -> dict[str, Screen]:
    """Of each address that some link leads to, the fullest page found, and who saw it."""
    found: dict[str, Screen] = {}
    for person in people:
        client = Client()
        client.force_login(person, backend="cases.backend.PersonBackend")
        for screen in _explored(client, person, begin):
            known = found.get(screen.name)
            if known is None or screen.size > known.size:
                found[screen.name] = screen
    return found


def _explored(client: Client, person: Person | None, begin: tuple[str, ...]) -> Iterator[Screen]:
    waiting, seen = list(begin), set(begin)
    times: Counter[tuple[str | None, tuple[str, ...]]] = Counter()
    while waiting:
        address = waiting.pop(0)
        name = name_of(address)
        sort = (name, tuple(sorted(_asked(address))))
        if name in (None, "logout/") or times[sort] >= EXPLORED:
            continue
        times[sort] += 1
        answer: Any = client.get(address, follow=True)
        if getattr(answer, "redirect_chain", None):
            address = answer.redirect_chain[-1][0]
            name = name_of(address)
        if name is None or not is_page(answer):
            continue
        text = answer.content.decode()
        yield Screen(name, address, person, len(text))
        for link in (*_LINK.findall(text), *_FORM.findall(text)):
            there = urldefrag(urljoin(address, html.unescape(link))).url
            if there not in seen and there.startswith("/") and not there.startswith("//"):
                seen.add(there)
                waiting.append(there)


def is_page(answer: HttpResponse) -> bool:
    kind = answer.headers.get("Content-Type", "")
    return answer.status_code == 200 and kind.startswith("text/html") and b"<main" in answer.content


def name_of(address: str) -> str | None:
    """The route of an address; None where there is no page."""
    try:
        return str(resolve(urlsplit(address).path).route)
    except Resolver404:
        return None


def _asked(address: str) -> list[str]:
    """What the query tells apart: which tab, but not which page of a list."""
    return [
        one for one in urlsplit(address).query.split("&") if one.startswith(("show=", "state="))
    ]
