"""The keys that a ``WORKER.md`` of the kind ``external`` may carry. See docs/tree.md."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from workforce.kinds.worker_settings import Names, WorkerSettings
from workforce.names import is_name
from workforce.refusals import quoted
from workforce.services.actors import RESERVED_PASSNAMES


def _check_passname(value: str) -> str:
    """The passname as it is kept; whether an actor has it is no matter of the file."""
    if value.lower() in RESERVED_PASSNAMES:
        raise _fault(f"{quoted(value)} is a reserved name; name an actor of the organization")
    return _name(value.lower(), "passname", "make the actor with 'manage.py actor add'")


def _check_inbox(value: str) -> str:
    return _name(value, "name of an inbox", "'manage.py inbox list' lists them")


def _name(value: str, what: str, hint: str) -> str:
    if not is_name(value):
        raise _fault(f"{quoted(value)} is no {what}: lowercase letters, digits and single hyphens; {hint}")
    return value


def _fault(words: str) -> PydanticCustomError:
    return PydanticCustomError("bad_name", "{words}", {"words": words})


class ExternalSettings(WorkerSettings):
    """An external seat's settings: the actor that it is inside, the inbox where that pulls, and the boards it works.

    Whether there are such an actor and inbox is no matter of the file: a load warns, and a delivery is refused.
    """

    passname: Annotated[str, AfterValidator(_check_passname)]
    inbox: Annotated[str, AfterValidator(_check_inbox)]
    drains: Names = Field(default_factory=list)
