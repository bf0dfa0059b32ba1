"""Values written out in a query, so that a partial index can be used for it on every database."""

from __future__ import annotations

import re
from typing import Any

from django.db.models import Expression, IntegerField, TextField

_WORD = re.compile(r"[a-z_]{1,32}")


class Literal(Expression):
    """A constant of the code, in the text of the query.

    SQLite proves that a partial index serves a query only from what is written out; the same condition with
    parameters reads the whole table. For constants only: anything but a whole number or a plain lower-case
    word is a ValueError.
    """

    def __init__(self, value: int | str) -> None:
        if isinstance(value, str) and not _WORD.fullmatch(value):
            raise ValueError(f"{value!r} is no plain word")
        self.value = int(value) if not isinstance(value, str) else str(value)
        super().__init__(output_field=TextField() if isinstance(value, str) else IntegerField())

    def as_sql(self, compiler: Any, connection: Any, **options: Any) -> tuple[str, list[Any]]:
        return (f"'{self.value}'" if isinstance(self.value, str) else str(self.value)), []
