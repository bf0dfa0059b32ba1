"""The keys that a ``WORKER.md`` of the kind ``handler`` may carry. See docs/tree.md."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from workforce.kinds.handlers import find_handler, handler_names
from workforce.kinds.worker_settings import Names, WorkerSettings
from workforce.nearest import unknown_words


def _check_known(value: str) -> str:
    if find_handler(value) is None:
        words = unknown_words("handler", [value], handler_names())
        raise PydanticCustomError(
            "unknown_handler", "{words}; the setting TASK_HANDLERS lists them", {"words": words}
        )
    return value


class HandlerSettings(WorkerSettings):
    """A handler's settings: which callable, which boards, and how many rows at a time."""

    handler: Annotated[str, AfterValidator(_check_known)]
    drains: Names = Field(default_factory=list)
    concurrency: int = Field(default=1, ge=1, le=100)
