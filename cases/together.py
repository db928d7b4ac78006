"""An operation of migrations that makes many tables at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation


class CreateTogether(Operation):
    """Create models that refer to each other in any way, in one go.

    After each single CreateModel, Django builds all models anew that have to do with it; with a
    hundred that know each other this is nearly all the time a first start takes. Here they are
    built once. A table's keys to others are made at the end of the migration, as always.
    """

    reversible = True
    serialization_expand_args = ["models"]

    def __init__(self, models: Sequence[CreateModel]) -> None:
        self.models = list(models)

    def state_forwards(self, app_label: str, state: Any) -> None:
        state.__dict__.pop("apps", None)  # built when somebody asks, with all that comes here
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        for model in self._of(app_label, schema_editor, to_state):
            schema_editor.create_model(model)

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        for model in reversed(self._of(app_label, schema_editor, from_state)):
            schema_editor.delete_model(model)

    def _of(self, app_label: str, schema_editor: Any, state: Any) -> list[Any]:
        found = [state.apps.get_model(app_label, model.name) for model in self.models]
        alias = schema_editor.connection.alias
        return [model for model in found if self.allow_migrate_model(alias, model)]

    def describe(self) -> str:
        return f"Create {len(self.models)} models"
