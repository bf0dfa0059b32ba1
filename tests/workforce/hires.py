"""What tests of a user's own workers share: an organization with something to name, and the calls."""

from __future__ import annotations

from typing import Any

from boards.models import Board
from tests.conftest import Player
from workforce.models import Document, Organization, Seat
from workforce.services.workers import hire_worker


def furnish(organization: Organization) -> None:
    """A live and a lost board, documents of everybody, of a team and of the past."""
    for name, live in (("triage", True), ("gone", False)):
        Board.objects.create(
            organization=organization,
            board_id=f"support.help.{name}",
            mailbox_id="support.help",
            name=name,
            live=live,
        )
    for document_id in ("handbook", "house-style", "support.guide", "ops.runbook"):
        team, dot, _ = document_id.partition(".")
        Document.objects.create(
            organization=organization,
            document_id=document_id,
            team=team if dot else "",
            description=f"About {document_id}.",
            body=f"The text of {document_id}.",
        )


def hire(player: Player, worker_id: str = "my-analyst", **options: Any) -> Seat:
    """A worker of the player's own."""
    values = {"description": "Finds out why.", "instructions": "You find out why.", **options}
    return hire_worker(caller=player.caller, worker_id=worker_id, **values)
