"""Which documents a seat may read. See docs/workers.md."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q

from workforce.models import Document, Seat
from workforce.names import local_name


def readable_documents(seat: Seat) -> list[Document]:
    """The organization's documents and those of the seat's own team, narrowed by its ``resources``, by id.

    A user's own hire is in no team and reads the organization's; a fork reads what its origin could.
    """
    place = Q(team="") | Q(team=seat.team)
    rows = Document.objects.filter(place, organization_id=seat.organization_id, retired_at=None)
    documents = list(rows.order_by("document_id"))
    named = seat.settings.get("resources")
    if not isinstance(named, list):
        return documents
    wanted = {found.pk for name in named if (found := find_document(documents, name)) is not None}
    return [document for document in documents if document.pk in wanted]


def find_document(documents: Sequence[Document], name: str) -> Document | None:
    """The document of this name: by its full id, else by its local name."""
    by_name = {local_name(document.document_id): document for document in documents}
    by_name |= {document.document_id: document for document in documents}
    return by_name.get(name)


def names_of(documents: Sequence[Document]) -> list[str]:
    """Every name by which one of the documents can be read."""
    ids = [document.document_id for document in documents]
    return sorted({*ids, *map(local_name, ids)})
