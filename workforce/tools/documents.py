"""``list-documents`` and ``read-document``: what a seat's turn may read. See docs/workers.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import Field

from workforce.errors import DomainError
from workforce.kinds import ClosedModel, NoInput
from workforce.selectors.documents import find_document, names_of, readable_documents
from workforce.texts import Name
from workforce.toolsets import Tool, Turn, lists_tool
from workforce.vocabulary import Vocabulary

#: How many documents one answer lists, and how much of each description.
LISTED = 200
SHOWN = 300


class UnknownDocument(DomainError):
    """The seat can read no document of this name."""

    code = "unknown-document"


class ReadDocument(ClosedModel):
    """Which document to read."""

    name: Name = Field(description="The document's name, as list-documents shows it.")


def list_documents(turn: Turn, asked: NoInput) -> dict[str, Any]:
    """The documents that the turn's seat can read, with what each is for."""
    documents = readable_documents(turn.seat)
    answer: dict[str, Any] = {
        "documents": [
            {"name": document.document_id, "description": document.description[:SHOWN]}
            for document in documents[:LISTED]
        ]
    }
    if len(documents) > LISTED:
        answer["more"] = len(documents) - LISTED
    return answer


def read_document(turn: Turn, asked: ReadDocument) -> dict[str, Any]:
    """The text of one document. Raises UnknownDocument, naming the nearest and those that can be read."""
    documents = readable_documents(turn.seat)
    found = find_document(documents, asked.name)
    if found is None:
        raise UnknownDocument(Vocabulary("document", names_of(documents)).refuse([asked.name]))
    return {"name": found.document_id, "description": found.description, "body": found.body}


TOOLS = (
    Tool("list-documents", "The documents you can read, with what each is for.", NoInput, list_documents),
    Tool("read-document", "The text of one document, by its name.", ReadDocument, read_document),
)


def offer_documents(turn: Turn) -> Iterator[Tool]:
    """Those of the two tools that the worker's file lists under ``tools``."""
    return (tool for tool in TOOLS if lists_tool(turn, tool.name))
