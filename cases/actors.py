"""Who did it: every event names an actor and, where it differs, on whose behalf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cases.models import Client, Person


@dataclass(frozen=True, slots=True)
class Actor:
    """The one who acts: a person, a party of the case, a service, or the engine itself.

    `code` is what history keeps: "person:7", "party:applicant", "service:land-registry", "engine".
    """

    code: str
    person: Person | None = None
    on_behalf: str = ""
    client: Client | None = None

    @classmethod
    def of(cls, person: Person, *, on_behalf: str = "") -> Actor:
        return cls(f"person:{person.pk}", person, on_behalf)

    @classmethod
    def of_client(cls, client: Client, *, on_behalf: str = "") -> Actor:
        return cls(f"service:{client.name}", None, on_behalf, client)


ENGINE = Actor("engine")


def party(role: str) -> Actor:
    """A party of the case, such as the applicant."""
    return Actor(f"party:{role}")


def service(name: str, *, on_behalf: str = "") -> Actor:
    """A service account or an outside system."""
    return Actor(f"service:{name}", None, on_behalf)
