"""What an act asks for: one field, read by the types that every other door uses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from boards.limits import Reason, Value, Words, WorkerKey
from workforce.api.parsing import parse_json
from workforce.errors import DomainError, InvalidInput
from workforce.inputs import words_of


@dataclass(frozen=True, slots=True)
class Field:
    """``shape`` is ``text`` (some lines), ``worker`` (a key of the board) or ``json``."""

    name: str
    label: str
    reader: TypeAdapter[Any]
    hint: str = ""
    shape: str = "text"
    required: bool = True

    def read(self, data: Mapping[str, Any]) -> Any:
        """The value that was posted. Raises InvalidInput, naming the field."""
        text = as_typed(data.get(self.name, ""))
        value = json_or_text(self.label, text) if self.shape == "json" else text
        try:
            return self.reader.validate_python(value)
        except ValidationError as error:
            raise InvalidInput.at(self.label, fault_of(error)) from None


def as_typed(text: Any) -> str:
    """The text with the line breaks that were typed: a browser sends each as two characters."""
    return str(text).replace("\r\n", "\n")


def fault_of(error: ValidationError) -> str:
    """What is wrong, in the words of the first fault."""
    return words_of(error.errors()[0])


def json_or_text(label: str, text: str) -> Any:
    """The JSON that the text is, or the text itself when it is none; nothing is null.

    Raises InvalidInput for what only looks like JSON: an object with a key twice, a number that is none.
    """
    if not text.strip():
        return None
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    return strict_json(label, text)


def strict_json(label: str, text: str) -> Any:
    """The JSON that the text is; nothing is null. Raises InvalidInput, with what is wrong and where."""
    if not text.strip():
        return None
    try:
        return parse_json(text.encode("utf-8", "surrogatepass"))
    except DomainError as refusal:
        raise InvalidInput.at(label, refusal.words) from None


REASON = Field("reason", "Reason", TypeAdapter(Reason), hint="Kept on the row.", required=False)
ANSWER = Field("answer", "Answer", TypeAdapter(Words), hint="The next attempt gets it.")
ERROR = Field("error", "What went wrong", TypeAdapter(Words))
OUTPUT = Field(
    "output",
    "Output",
    TypeAdapter(Value),
    hint="JSON; what is no JSON is kept as text.",
    shape="json",
    required=False,
)
ASSIGNEE = Field(
    "assignee",
    "Worker",
    TypeAdapter(WorkerKey),
    hint="A worker key of the board, exact case.",
    shape="worker",
)
