"""A workforce of five mailboxes for stories, and what must be true of it afterwards. Run on a server's database."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.trees import record, write_tree

#: Told to every member.
TOLD = ["team.one", "team.two", "team.three"]
#: Routed to one member, whose answer lands in the mailbox.
ROUTED = ["team.desk", "team.counter"]
MEMBERS = ["team.ann", "team.ben", "team.cid"]


def tree(root: Path) -> Path:
    """The files of it."""
    members = "members: [" + ", ".join(MEMBERS) + "]"
    files = {"teams/team/TEAM.md": record()}
    for member in MEMBERS:
        name = member.removeprefix("team.")
        about = f"Everything about {name} and the trade of {name}s."
        files[f"teams/team/workers/{name}/WORKER.md"] = record(
            "model: offline:extract",
            f"{about} The answer of {name} is number {len(name)}.",
            description=about,
        )
    for address in (*TOLD, *ROUTED):
        keys = members if address in TOLD else f"{members}\nrouting:\n  fallback: team.cid"
        files[f"teams/team/mailboxes/{address.removeprefix('team.')}/MAILBOX.md"] = record(keys, "Be brief.")
    return write_tree(root, files)


def seed() -> None:
    """Load the tree for a user with a key, which is printed."""
    from django.core.management import call_command

    from workforce.models import Grant
    from workforce.services.actors import add_actor
    from workforce.services.organizations import create_organization, ensure_user

    organization = create_organization(slug="default")
    user = ensure_user(username="ada")
    key = add_actor(organization=organization, passname="ada-desk", user=user, grants=Grant.values)[2]
    with tempfile.TemporaryDirectory() as folder:
        call_command("load_workforce", str(tree(Path(folder))), user="ada", verbosity=0, stdout=_Nowhere())
    print(key)  # noqa: T201


class _Nowhere:
    def write(self, words: str) -> None: ...


def report() -> None:
    """Print what became of every post."""
    from workforce.models import Item, Request, Session

    boxes = Session.objects.filter(address__in=[*TOLD, *ROUTED])
    woken = Counter(
        (row["session__parent__address"], row["input"]["postId"], row["session__seat__seat_id"])
        for row in Request.objects.filter(action="onMailboxPost").values(
            "session__parent__address", "session__seat__seat_id", "input"
        )
    )
    heard = Counter(
        (item.session.seat.seat_id if item.session.seat else "", item.data["postId"])
        for item in Item.objects.filter(type="message", session__topic="mailbox").select_related(
            "session__seat"
        )
        if item.data.get("role") == "user"
    )
    lines = Item.objects.filter(session__in=boxes, line_seq__isnull=False)
    routes = Item.objects.filter(session__in=boxes, component="mailbox-route")
    answers = Request.objects.filter(action="answer", status="completed")
    posts = lines.filter(seat_authored=False).select_related("session")
    failed = Request.objects.filter(status="failed")
    told: dict[str, Any] = {
        "posts": [[str(line.id), line.session.address] for line in posts],
        "woken": [[*key, count] for key, count in woken.items()],
        "heard": [[*key, count] for key, count in heard.items()],
        "routes": [item.data["postId"] for item in routes],
        "answered": [row.input["postId"] for row in answers],
        "seatLines": lines.filter(seat_authored=True).count(),
        "unfinished": Request.objects.filter(Request.IS_UNFINISHED).count(),
        "failed": [[row.action, row.error["code"]] for row in failed],
        "diedIn": Request.objects.filter(attempts__gte=2).count(),
    }
    print(json.dumps(told))  # noqa: T201


def wait_until_recovered() -> None:
    """Until what died once has ended: nothing dies three times, which is given up by design."""
    from workforce.models import Request

    _wait(lambda: not Request.objects.filter(Request.IS_UNFINISHED, attempts__gte=2).exists())


def wait_until_done() -> None:
    """Until nothing is left to run."""
    from workforce.models import Request

    _wait(lambda: not Request.objects.filter(Request.IS_UNFINISHED).exists())


def _wait(condition: Callable[[], bool]) -> None:
    from tests.stories.server import until

    until(condition, seconds=100)
