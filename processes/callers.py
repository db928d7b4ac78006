"""Who asks: a program or a person, with what their token lets them do. The same for a call of the
API and for work that goes on long after it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from audit import reads
from cases import access
from cases.actors import Actor
from cases.errors import NoSuchCase, NotAllowed
from cases.models import Case, Client, Document, Person, Task, Token
from cases.models.client import has_scope

ON_BEHALF = "Longcase-On-Behalf-Of"


class ScopeMissing(NotAllowed):
    """The token does not name this act, or not for this kind of case."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The one who calls, with what the token allows; `scopes` is None for a session."""

    who: Person | Client
    scopes: list[str] | None
    on_behalf: str = ""

    is_authenticated = True  # as DRF asks of a request's user

    @property
    def code(self) -> str:
        return self.actor.code

    @property
    def person(self) -> Person | None:
        return self.who if isinstance(self.who, Person) else None

    @property
    def client(self) -> Client | None:
        return self.who if isinstance(self.who, Client) else None

    @property
    def actor(self) -> Actor:
        if isinstance(self.who, Client):
            return Actor.of_client(self.who, on_behalf=self.on_behalf)
        return Actor.of(self.who, on_behalf=self.on_behalf)

    @property
    def is_for_a_person(self) -> bool:
        return isinstance(self.who, Client) and self.on_behalf.startswith("person:")

    @property
    def source(self) -> str:
        """The source of this caller's external references and messages."""
        return self.who.name if isinstance(self.who, Client) else self.code

    def has_scope(self, act: str, kind: str = "") -> bool:
        return self.scopes is None or has_scope(self.scopes, act, kind)

    def require_scope(self, act: str, kind: str = "") -> None:
        """Raise ScopeMissing unless the token names this act; and, of a program that says that it
        acts for a person, that it may say so."""
        acts = [act, "behalf"] if self.is_for_a_person else [act]
        missing = next((one for one in acts if not self.has_scope(one, kind)), None)
        if missing is not None:
            wanted = f"{missing}:{kind or '*'}"
            raise ScopeMissing(
                _("This token lacks the scope “%(scope)s”; an administrator can add it.")
                % {"scope": wanted}
            )

    def cases(self, *acts: str) -> QuerySet[Case]:
        """The cases that the caller may see and whose kind the token names for one of these."""
        return self.narrowed(access.visible_cases(self.who), *acts)

    def narrowed(self, found: QuerySet[Case], *acts: str) -> QuerySet[Case]:
        """Of these cases, those whose kind the token names for one of these acts."""
        if self.scopes is None:
            return found
        pairs = [scope.partition(":") for scope in self.scopes]
        kinds = {kind for act, _colon, kind in pairs if act in (acts or ("read",))}
        return found if "*" in kinds else found.filter(kind__in=sorted(kinds))

    def case(self, reference: str, act: str) -> Case:
        """The case of this reference or number. Raises NoSuchCase unless the caller may see it,
        and ScopeMissing where it may be read and this act may not be done."""
        rows = self.cases("read", act)
        if reference.isascii() and reference.isdecimal() and len(reference) < 18:
            rows = rows.filter(pk=int(reference))
        else:
            rows = rows.filter(reference=reference)
        found = rows.first()
        if found is None:
            raise NoSuchCase(
                _("There is no case %(reference)s among those you may see.")
                % {"reference": reference}
            )
        self.require_scope(act, found.kind)
        self.note_read(found)
        return found

    def note_read(self, thing: Case | Task | Document) -> None:
        """For the read log: the caller is shown this case, or what belongs to it. Raises
        PurposeNeeded."""
        if isinstance(self.who, Person):
            access.note_read(self.who, thing)
        else:
            case = thing if isinstance(thing, Case) else thing.case
            reads.about(case.pk, case.head_number)


def scopes_now(who: Person | Client, accepted: list[str] | None) -> list[str] | None:
    """What somebody may do now, of what a token allowed when it was used."""
    if not isinstance(who, Client):
        return accepted
    return who.scopes if accepted is None else _within(accepted, who)


def scopes_of(token: Token, client: Client) -> list[str]:
    """What a program may do with this token: its scopes, as far as the token is not cut down."""
    if not token.scopes:
        return client.scopes
    return _within(token.scopes, client)


def _within(scopes: list[str], client: Client) -> list[str]:
    """These scopes as far as the account has them; `open:*` shrinks to what it has of `open`."""
    found = set()
    for scope in scopes:
        act, _colon, kind = scope.partition(":")
        if has_scope(client.scopes, act, kind):
            found.add(scope)
        elif kind == "*":
            found |= {one for one in client.scopes if one.startswith(f"{act}:")}
    return sorted(found)
