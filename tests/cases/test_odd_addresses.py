"""Addresses that nobody was given."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from cases.access import roles

pytestmark = pytest.mark.django_db


def with_names(patterns: Any, before: str = "") -> Any:
    """Each route that takes a name."""
    for one in patterns:
        route = before + str(one.pattern)
        if hasattr(one, "url_patterns"):
            yield from with_names(one.url_patterns, route)
        elif "<str:" in route and not route.startswith("api/"):
            yield route


def test_a_page_of_five_thousand_figures_is_the_last_one(people: Any) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(people.ada, backend="cases.backend.PersonBackend")
    assert client.get(f"/checks/?page={'9' * 5000}").status_code == 200


def test_a_nul_in_an_address_names_nothing(people: Any) -> None:
    client = Client(raise_request_exception=False)
    for role in (roles.RECORDS_MANAGER, roles.ADMINISTRATOR, roles.OPERATOR):
        people.ada.groups.add(people.ada.groups.model.objects.get_or_create(name=role)[0])
    client.force_login(people.ada, backend="cases.backend.PersonBackend")
    routes = list(with_names(get_resolver().url_patterns))
    assert len(routes) > 50
    for route in routes:
        address = re.sub(r"<str:\w+>", "%00", re.sub(r"<(int|slug):\w+>", "1", route))
        assert client.get(f"/{address}").status_code == 404, route
    assert client.get(reverse("certificate", args=["ER-2026-0"])).status_code == 404
