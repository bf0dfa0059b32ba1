"""What is live in an organization and cannot be read in its tree today. See docs/tree.md, "Loading"."""

from __future__ import annotations

from dataclasses import dataclass

from boards.models import Board
from workforce.kinds import worker_kinds
from workforce.models import Document, Organization, Seat
from workforce.tree.broken import Broken, document_path, mailbox_path, worker_path


@dataclass(frozen=True, slots=True)
class Kept:
    """The ids of live seats, documents and boards whose files are broken today."""

    workers: frozenset[str] = frozenset()
    #: Those of the workers that hear posts.
    hearing: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    boards: frozenset[str] = frozenset()


NOTHING_KEPT = Kept()


def read_kept(*, organization: Organization, broken: Broken) -> Kept:
    """What a load keeps as it is because its place in the tree is ``broken``. Only reads."""
    kinds = worker_kinds()
    seats = Seat.objects.filter(organization=organization, owner=None, retired_at=None)
    workers = {
        seat: kind for seat, kind in seats.values_list("seat_id", "kind") if broken.touches(worker_path(seat))
    }
    documents = Document.objects.filter(organization=organization, retired_at=None)
    boards = Board.objects.filter(organization=organization, live=True)
    return Kept(
        workers=frozenset(workers),
        hearing=frozenset(id for id, kind in workers.items() if kind in kinds and kinds[kind].hears_posts),
        documents=frozenset(
            id for id in documents.values_list("document_id", flat=True) if broken.touches(document_path(id))
        ),
        boards=frozenset(
            id
            for id, mailbox in boards.values_list("board_id", "mailbox_id")
            if broken.touches(mailbox_path(mailbox))
        ),
    )
