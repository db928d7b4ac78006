"""What becomes of each table when a case is erased: one declaration a table, no table forgotten.

A declaration names every column that can hold text, data or bytes: it is *kept*, because it never
tells who somebody is, or *scrubbed*: overwritten in the rows of the case. Or the rows are deleted.
`tests/erasing/test_registry.py` fails for a column that no declaration names. The facts of kinds
are told apart by `facts.py`; a kind declares its other tables in a module `erasing` of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Case as When
from django.db.models import Q, Value
from django.db.models import When as If

from cases.models import Case, SearchEntry
from cases.spelling import folded
from processes.erasing.facts import ERASED, personal_facts
from processes.kinds import kind_of


@dataclass(frozen=True)
class Subject:
    """The case that is being erased, loaded as its kind, with what tells its person apart."""

    case: Case

    @cached_property
    def values(self) -> list[str]:
        """The texts that would give the person away wherever they stand, such as the whole name,
        the mail address, the number: what is looked for in rows that belong to no case."""
        facts = [getattr(self.case, one.attname) for one in personal_facts(kind_of(self.case.kind))]
        said = {one.strip() for one in [self.case.title, *facts] if isinstance(one, str)}
        return sorted(one for one in said if _tells(one))

    @cached_property
    def names(self) -> list[str]:
        """The words of its title that no other case has, folded: part of a name is enough then."""
        title = "" if self.case.title == ERASED else self.case.title
        words = [one for one in folded(title).split() if len(one) >= LEAST_OF_A_NAME]
        others = SearchEntry.objects.exclude(case=self.case.pk)
        return [one for one in words if not others.filter(text__contains=f" {one} ").exists()]

    @property
    def mentions(self) -> list[str]:
        """The same, and the reference: for what is kept for a while only."""
        return [self.case.reference, *self.values]


LEAST, MOST = 6, 200  # characters of such a text
LEAST_OF_A_NAME = 5


def _tells(text: str) -> bool:
    """Whether a text is long enough, and more than one plain word."""
    if text == ERASED or text.startswith("person:"):
        return False
    return LEAST <= len(text) <= MOST and not text.isalpha()


Finds = Callable[[Subject], Q]


@dataclass(frozen=True)
class Table:
    """What becomes of the rows of one table. `of` finds those of a case; without it the table
    holds none. `scrub` is what is written over a column: a value, or a function of the row that
    gives one."""

    model: str
    kept: Sequence[str] = ()
    scrub: Mapping[str, Any] = field(default_factory=dict)
    of: Finds | None = None
    delete: bool = False
    why: str = ""  # why nothing of it is anybody's, where it has no rows of cases
    by: Callable[[Subject], int] | None = None  # does it all by itself,
    handles: Sequence[str] = ()  # for these columns

    @property
    def columns(self) -> set[str]:
        return {*self.kept, *self.scrub, *self.handles}

    def rows(self, subject: Subject) -> models.QuerySet[Any]:
        assert self.of is not None
        return apps.get_model(self.model)._base_manager.filter(self.of(subject))

    def erase(self, subject: Subject) -> int:
        """Overwrite or delete the rows of a case. Returns how many there were."""
        if self.by is not None:
            return self.by(subject)
        if self.of is None:
            return 0
        rows = self.rows(subject)
        if self.delete:
            number = rows.count()
            rows.delete()
            return number
        if not self.scrub:
            return 0
        return rows.update(**{name: _over(name, new) for name, new in self.scrub.items()})

    def left(self, subject: Subject) -> list[str]:
        """The columns in which something of an erased case still stands."""
        if self.of is None or self.by is not None:
            return []
        rows = self.rows(subject)
        if self.delete:
            return ["all of it"] if rows.exists() else []
        return [
            name
            for name, new in self.scrub.items()
            if rows.exclude(**{name: new}).exclude(_is_empty(self.model, name)).exists()
        ]


def _over(name: str, new: Any) -> Any:
    """A text is overwritten where there is one; whatever is empty stays so."""
    if new != ERASED:
        return new
    return When(If(**{name: ""}, then=Value("")), default=Value(ERASED))


def _is_empty(model: str, name: str) -> Q:
    column = apps.get_model(model)._meta.get_field(name)
    if isinstance(column, (models.CharField, models.TextField)):
        return Q(**{name: ""})
    return Q(**{f"{name}__isnull": True})


_tables: dict[str, Table] = {}


def register(*tables: Table) -> None:
    """Declare tables. Raises ValueError for one that was declared before."""
    for one in tables:
        if one.model in _tables:
            raise ValueError(f"{one.model}: declared twice for erasing.")
        _tables[one.model] = one


def tables() -> list[Table]:
    """All declared tables, in the order in which they are erased."""
    return list(_tables.values())


# -- what must be declared

TEXTS = (
    models.CharField,
    models.TextField,
    models.JSONField,
    models.BinaryField,
    models.FileField,
    models.GenericIPAddressField,
)
OURS = ("audit", "timers", "cases", "processes")


def undeclared() -> Iterator[str]:
    """The columns that can hold text, data or bytes, and of which nothing is declared; and the
    declared ones that are not there."""
    for model in apps.get_models(include_auto_created=True):
        if not _is_ours(model):
            continue
        if issubclass(model, Case) and model is not Case:
            continue  # its facts: facts.py
        label = model._meta.label
        has = {one.name for one in model._meta.local_concrete_fields if isinstance(one, TEXTS)}
        declared = _tables.get(label)
        if declared is None:
            if has:
                yield f"{label}: {', '.join(sorted(has))}"
            continue
        if declared.delete or declared.why:
            continue
        for name in sorted(has - declared.columns):
            yield f"{label}.{name}"
        for name in sorted(declared.columns - {one.name for one in model._meta.get_fields()}):
            yield f"{label}.{name} is declared, and is no column"


def _is_ours(model: type[models.Model]) -> bool:
    return model.__module__.split(".")[0] in OURS
