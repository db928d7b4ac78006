"""A column that holds plain data in the same spelling as history does."""

from typing import TYPE_CHECKING, Any

from django.db import models

from audit import codec


class DataField(models.TextField):
    """Lists and mappings of what codec.encode() can spell: Decimals and dates come back as such."""

    if TYPE_CHECKING:  # what an attribute of a row holds is not the field

        def __get__(self, instance: Any, owner: Any = None) -> Any: ...

        def __set__(self, instance: Any, value: Any) -> None: ...

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else codec.decode(value)

    def to_python(self, value: Any) -> Any:
        return codec.decode(value) if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> str | None:
        # Text is taken as already encoded, so that constraints can compare with it.
        return value if value is None or isinstance(value, str) else codec.encode(value)
