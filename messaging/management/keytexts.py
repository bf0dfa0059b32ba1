"""What the commands that make keys share: their options, and a new key printed once."""

from __future__ import annotations

from django.core.management.base import CommandParser

from messaging.inbox.selectors.inboxes import joined_inboxes
from messaging.inbox.services.admitting import scope_of
from workforce.management.base import Answer
from workforce.models import Actor, Grant, Key


def add_key_options(parser: CommandParser) -> None:
    """``--grant`` (repeatable) and ``--expires``."""
    parser.add_argument(
        "--grant",
        dest="grants",
        action="append",
        default=[],
        metavar="GRANT",
        help=f"what the key may do, repeatable: {', '.join(Grant.values)} (default: nothing)",
    )
    parser.add_argument(
        "--expires", type=int, metavar="DAYS", help="how long the key counts (default: for good)"
    )


def key_answer(actor: Actor, key: Key, text: str) -> Answer:
    """The key alone on stdout; how to use it, without it, on stderr.

    As JSON of an actor that takes part in an inbox, with the first of them and what the key may do there.
    """
    joined = joined_inboxes([actor]).get(actor.pk)
    path = f"inboxes/{joined[0]}/access" if joined else "flows"
    notes = [
        f"The key of '{actor.passname}'. It is shown this once; keep it like a password. Call with it:",
        f'  curl -H "Authorization: Bearer $KEY" http://HOST:PORT/api/{path}',
    ]
    if not key.grants:
        notes.append(
            "Warning: this key has no grants, so every call that needs one is refused. One that has some: "
            f"manage.py key issue {actor.passname} --grant GRANT"
        )
    data: dict[str, object] = {"passname": actor.passname, "key": text, "prefix": key.prefix}
    if joined:
        data |= {"inbox": joined[0], "scope": scope_of(key.grants)}
    data["grants"] = key.grants
    return Answer(data, text, notes)
