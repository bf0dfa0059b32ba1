"""A board for stories: a cast of workers with keys, made in the environment of a server."""

from __future__ import annotations

import json

from tests.stories.server import Server

BOARD = "desk.inbox.work"
PATH = f"/api/boards/{BOARD}"
#: Printed: a key per worker, all of them of one organization.
CAST = """
import json
from boards.models import Board
from workforce.services.actors import add_actor
from workforce.services.organizations import create_organization, ensure_user
here = create_organization(slug="default")
Board.objects.create(organization=here, board_id="desk.inbox.work", mailbox_id="desk.inbox", name="work")
print(json.dumps({
    name: add_actor(organization=here, passname=name, user=ensure_user(username="ada"),
                    grants=["boards:read", "boards:write"])[2]
    for name in ("lead", "wren", "robin", "finch")
}))
"""


def cast(server: Server) -> dict[str, str]:
    """The keys of the lead and three workers, in an organization with one board."""
    keys: dict[str, str] = json.loads(server.manage("shell", "-v0", "-c", CAST))
    return keys
