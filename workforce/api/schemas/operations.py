"""How a view says what it takes and answers; the document and its tests read nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a call.

    ``body`` is a type that pydantic can describe, or None for an answer without a body; ``headers`` names
    headers of ``parts.HEADERS`` beside ``X-Request-Id``, which every answer has.
    """

    words: str
    body: Any = None
    headers: tuple[str, ...] = ()
    media: str = "application/json"


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path.

    ``refuses`` are the statuses of its problems beside those that every call of the API can answer
    (``parts.problem_statuses``). ``query`` overrides the schema of a query parameter that is not the
    shared one; which there are says the view's own ``query``. ``headers`` names request headers of
    ``parts.REQUEST_HEADERS`` beside those that every call takes.
    """

    id: str
    summary: str
    answers: Mapping[int, Answer]
    body: type[BaseModel] | None = None
    refuses: frozenset[int] = frozenset()
    headers: tuple[str, ...] = ()
    query: Mapping[str, dict[str, Any]] = field(default_factory=dict)
