"""What the settings of every worker kind have in common. See docs/tree.md."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, ConfigDict, field_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from workforce.kinds.base import ClosedModel
from workforce.refusals import EMPTY, listed, repeats


class WorkerSettings(ClosedModel):
    """A closed settings model whose keys are camelCase in a file, and never present without a value."""

    model_config = ConfigDict(alias_generator=to_camel)

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_empty(cls, value: object) -> object:
        if value is None:
            raise PydanticCustomError("empty", EMPTY)
        return value


def check_no_repeats(words: list[str]) -> list[str]:
    """The same words. Raises a validation error that names those listed twice."""
    twice = repeats(words)
    if twice:
        raise PydanticCustomError("repeated", "lists {words} twice; once is enough", {"words": listed(twice)})
    return words


#: A list of names in which none comes twice.
Names = Annotated[list[str], AfterValidator(check_no_repeats)]
