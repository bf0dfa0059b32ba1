"""The Markdown files in ``resources``: what seats can read. See docs/tree.md."""

from __future__ import annotations

from workforce.tree.problems import Layer, ProblemKind
from workforce.tree.records import Place, Record, RecordKind, read_record
from workforce.tree.walking import Listing, Shape, Walk

DOCUMENT = RecordKind(Layer.DOCUMENT, ProblemKind.DOCUMENT_LOAD_FAILED, "the document", refused={})

_SUFFIX = ".md"


def read_documents(walk: Walk, slot: str, listing: Listing, team: str | None) -> list[Record]:
    """The documents in a listed ``resources`` folder, with ids ``<name>`` or ``<team>.<name>``.

    A problem's path is the file itself. Whatever does not end in ``.md`` is passed over.
    """
    records = []
    for file_name, shape in listing.items():
        if not file_name.endswith(_SUFFIX) or shape is Shape.SPECIAL:
            continue
        path = f"{slot}/{file_name}"
        record = read_record(walk, Place(path, file_name.removesuffix(_SUFFIX), team), shape, DOCUMENT, path)
        if record is not None:
            records.append(record)
    return records
