"""Forms as a browser sends them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from cases.models import Person


class Page:
    """A page as it came, and the form on it that a test wants to send."""

    def __init__(self, client: Client, response: HttpResponse) -> None:
        self.client = client
        self.response = response
        self.html = response.content.decode()
        self.status = response.status_code

    def hidden(self, action: str) -> dict[str, str]:
        """The hidden fields of the form with this action."""
        form = re.search(rf'<form[^>]*action="{re.escape(action)}".*?</form>', self.html, re.DOTALL)
        assert form, f"no form sends to {action}"
        found = re.findall(r'<input type="hidden" name="([\w-]+)" value="([^"]*)"', form[0])
        return {name: html.unescape(value) for name, value in found}

    def send(self, action: str, **fields: Any) -> Page:
        """Send the form with this action, as it was rendered, and follow to the next page."""
        sent = {**self.hidden(action), **fields}
        return Page(self.client, self.client.post(action, sent, follow=True))

    def __contains__(self, text: str) -> bool:
        plain = re.sub(r"<[^>]+>", "", self.html)
        return text in " ".join(plain.split()) or text in self.html


class Visitor:
    def __init__(self, person: Person | None) -> None:
        self.client = Client()
        if person is not None:
            self.client.force_login(person, backend="cases.backend.PersonBackend")

    def open(self, address: str, **headers: str) -> Page:
        return Page(self.client, self.client.get(address, headers=headers or None))


@pytest.fixture
def visit() -> Callable[[Person | None], Visitor]:
    return Visitor
