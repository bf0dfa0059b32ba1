"""What the command line takes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from messaging.client import commands, printing
from messaging.client.wire import Wire

TYPES = ("request", "info", "message")
STATES = ("pending", "delivered", "acknowledged", "completed", "archived")
_EPILOG = (
    "From the environment: WORKFORCE_URL, WORKFORCE_INBOX and WORKFORCE_KEY, or <name>_FILE with the path of a file "
    "that holds it; WORKFORCE_PASSNAME, when set, must be the key's own. Exit codes: 0 done, 1 refused, 2 usage, "
    "3 not reachable (safe to repeat)."
)


Run = Callable[[Wire, argparse.Namespace], printing.Answer]
#: Adds a command: its name, what it calls, how its answer is printed, and what it is for.
Add = Callable[[str, Run, printing.Shown, str], argparse.ArgumentParser]


def build_parser(*, with_text: bool = True) -> argparse.ArgumentParser:
    """The parser; what it returns holds ``run``, which calls the server, and ``show``, which prints the answer.

    ``with_text`` says that a payload is given as TEXT: argparse finds no optional argument after other options.
    """
    parser = argparse.ArgumentParser(
        prog="python -m messaging.client",
        description="Work one durable inbox.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print the server's answer as one line of JSON")
    common.add_argument(
        "--patience", type=_seconds, default=0, metavar="S", help="try again for so long while not reachable"
    )
    sub = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, run: Run, show: printing.Shown, help: str) -> argparse.ArgumentParser:
        one = sub.add_parser(
            name, help=help, description=help, parents=[common], epilog=_EPILOG, allow_abbrev=False
        )
        one.set_defaults(run=run, show=show)
        return one

    add(
        "access",
        commands.access,
        printing.access_text,
        "who am I here, and what is open: the first call of a run",
    )
    _queue(add("pull", commands.pull, printing.queue_text, "what is open for me; what is new is delivered"))
    waiting = add(
        "wait", commands.wait, printing.queue_text, "wait for something to be open; delivers nothing"
    )
    waiting.add_argument("--seconds", type=_seconds, default=60, metavar="S", help="for how long (60)")
    waiting.add_argument("--limit", type=int, default=1, metavar="N")
    _reading(add)
    _sending(add, with_text)
    for name, help in (
        ("ack", "acknowledge an info or a message"),
        ("complete", "a request is fulfilled, a message dealt with"),
        ("archive", "not relevant for me"),
    ):
        _moving(add(name, commands.move, _moved, help))
    return parser


def _queue(one: argparse.ArgumentParser) -> None:
    _page(one)
    _filters(one, "type", "topic", "sender")
    one.add_argument("--newest", action="store_true", help="newest first; oldest otherwise")
    one.add_argument("--budget", type=int, metavar="CHARS", help="how long the whole answer may be")
    one.add_argument(
        "--wait", type=_seconds, default=0, metavar="S", help="wait so long while nothing is open"
    )
    one.add_argument("--look", action="store_true", help="look only: nothing is delivered")


def _reading(add: Add) -> None:
    one = add("show", commands.show, printing.message_text, "one message, whole")
    one.add_argument("id")
    one.add_argument("--max-chars", type=int, metavar="N")
    one = add("thread", commands.thread, printing.thread_text, "from the first message to this one")
    one.add_argument("id")
    one.add_argument("--all", action="store_true", help="all of the thread, with the side branches")
    one.add_argument("--max-chars", type=int, metavar="N", help="of each payload")
    _page(one)
    one = add("sent", commands.sent, printing.outbound_text, "what I sent, and where it stands")
    one.add_argument("--open", action="store_true", help="what I still wait for")
    _filters(one, "type", "topic")
    _page(one)
    one = add("search", commands.search, printing.found_text, "messages that hold all of these words")
    one.add_argument("words", nargs="*", help="words, and phrases in quotes")
    _filters(one, "type", "topic", "sender")
    one.add_argument("--status", choices=STATES, help="where they stand for me")
    one.add_argument("--since", metavar="INSTANT", help="2026-03-01T09:00:00Z, or epoch milliseconds")
    one.add_argument("--until", metavar="INSTANT")
    _page(one)


def _sending(add: Add, with_text: bool) -> None:
    one = add("send", commands.send, printing.sent_text, "send a message")
    one.add_argument("--type", choices=TYPES, required=True)
    one.add_argument("--topic", required=True)
    one.add_argument(
        "--to",
        type=_names,
        action="extend",
        metavar="PASSNAME",
        help="one, or several with commas; everybody else otherwise",
    )
    _content(one, with_text)
    one = add("reply", commands.reply, printing.sent_text, "answer a message, to who sent it")
    one.add_argument("id")
    one.add_argument("--type", choices=TYPES, default="message")
    one.add_argument("--topic", help="the answered message's otherwise")
    whom = one.add_mutually_exclusive_group()
    whom.add_argument(
        "--to", type=_names, action="extend", metavar="PASSNAME", help="others than who sent it"
    )
    whom.add_argument("--everybody", action="store_true", help="to everybody else")
    _content(one, with_text)


def _content(one: argparse.ArgumentParser, with_text: bool) -> None:
    if with_text:
        one.add_argument("text", metavar="TEXT", help="the payload; '-' is standard input")
    one.add_argument(
        "--file", metavar="PATH", help="instead of TEXT: the payload is the content of this file"
    )
    one.set_defaults(text=None)
    one.add_argument("--parse", action="store_true", help="the payload is JSON, not a text")
    one.add_argument("--approval", action="store_true", help="of a request: only a person can complete it")
    one.add_argument("--again", action="store_true", help="send it, though the same was sent before")
    one.add_argument("--allow-secret", action="store_true", help="send it, though it looks like a secret")
    one.add_argument("--idempotency-key", metavar="KEY", help="one of the content otherwise")


def _moving(one: argparse.ArgumentParser) -> None:
    one.add_argument("id", nargs="+")
    one.add_argument("--note", metavar="TEXT")
    one.add_argument("--reply-id", metavar="ID", help="the message that says how it was dealt with")


def _moved(answer: printing.Answer) -> Iterator[str]:
    return printing.receipts_text(answer) if "items" in answer else printing.receipt_text(answer)


def _page(one: argparse.ArgumentParser) -> None:
    one.add_argument("--limit", type=int, metavar="N")
    one.add_argument("--cursor", help="the page after")


def _filters(one: argparse.ArgumentParser, *names: str) -> None:
    for name in names:
        one.add_argument(f"--{name}", choices=TYPES if name == "type" else None)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _seconds(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 86_400:
        raise argparse.ArgumentTypeError("must be 0 to 86400")
    return value
