"""The commands: each calls the server and returns its answer."""

from __future__ import annotations

import time
import uuid
from argparse import Namespace
from typing import Any
from urllib.parse import quote

from messaging.client.environment import Misused
from messaging.client.payloads import key_of, read_payload
from messaging.client.wire import Refused, Wire

#: The longest wait of one call; a longer one is several.
_LONGEST = 60
#: Seconds from one call of a wait to the next, at least.
_PAUSE = 1.0
_ACTS = {"ack": "acknowledge", "complete": "complete", "archive": "archive"}
Answer = dict[str, Any]


def access(wire: Wire, asked: Namespace) -> Answer:
    return wire.get("access/")


def pull(wire: Wire, asked: Namespace) -> Answer:
    """The open items. With ``--wait`` it is asked again until something came or the time is over."""
    wanted = {
        "limit": asked.limit,
        "cursor": asked.cursor,
        "type": asked.type,
        "topic": asked.topic,
        "sender": asked.sender,
        "order": "newest" if asked.newest else None,
        "budgetChars": asked.budget,
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    return _until_there(wire, given, asked.wait, look=asked.look)


def wait(wire: Wire, asked: Namespace) -> Answer:
    """Wait for something to be open, without having it delivered."""
    return _until_there(wire, {"limit": asked.limit}, asked.seconds, look=True)


def _until_there(wire: Wire, given: dict[str, Any], seconds: int, *, look: bool) -> Answer:
    deadline = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        left = max(0, min(_LONGEST, round(deadline - began)))
        query = {"wait": left} if left else {}
        if look:
            answer = wire.get("queue/", {**given, **query}, wait=left)
        else:
            answer = wire.post("pull/", given, query, wait=left)
        now = time.monotonic()
        if answer["items"] or answer.get("leftOut") or now >= deadline - 0.5:
            return answer
        # what stands in front of the server may not let calls wait: it is not to be called without a pause
        time.sleep(max(0.0, min(began + _PAUSE, deadline) - now))


def show(wire: Wire, asked: Namespace) -> Answer:
    return wire.get(f"messages/{_id(asked.id)}/", {"maxChars": asked.max_chars})


def thread(wire: Wire, asked: Namespace) -> Answer:
    query = {
        "view": "all" if asked.all else "ancestry",
        "limit": asked.limit,
        "maxChars": asked.max_chars,
        "cursor": asked.cursor,
    }
    return wire.get(f"messages/{_id(asked.id)}/thread/", query)


def send(wire: Wire, asked: Namespace) -> Answer:
    payload = read_payload(asked.text, asked.file, parse=asked.parse)
    return _send(wire, asked, {"type": asked.type, "topic": asked.topic, "to": asked.to}, payload)


def reply(wire: Wire, asked: Namespace) -> Answer:
    """Answer a message: to who sent it, unless the arguments say otherwise."""
    payload, to = read_payload(asked.text, asked.file, parse=asked.parse), asked.to
    if to is None and not asked.everybody:
        to = [wire.get(f"messages/{_id(asked.id)}/", {"maxChars": 1})["sender"]]
    head = {"type": asked.type, "topic": asked.topic, "replyingTo": asked.id, "to": to}
    return _send(wire, asked, head, payload)


def _send(wire: Wire, asked: Namespace, head: dict[str, Any], payload: Any) -> Answer:
    body = {name: value for name, value in head.items() if value is not None}
    body["payload"] = payload
    if asked.approval:
        body["approval"] = True
    if asked.allow_secret:
        body["allowSecret"] = True
    if asked.again:
        body["allowDuplicate"] = True
    key = asked.idempotency_key or (str(uuid.uuid4()) if asked.again else key_of(body))
    if not (key.isascii() and key.isprintable()):
        raise Misused("--idempotency-key must be printable ASCII")
    return wire.post("messages/", body, key=key)


def move(wire: Wire, asked: Namespace) -> Answer:
    """Close one receipt, or several, each for itself."""
    act = _ACTS[asked.command]
    if len(asked.id) == 1:
        note = {"note": asked.note, "replyId": asked.reply_id}
        body = {name: value for name, value in note.items() if value is not None}
        return wire.post(f"messages/{_id(asked.id[0])}/{act}/", body)
    if asked.note is not None or asked.reply_id is not None:
        raise Misused("--note and --reply-id are for one message")
    answer = wire.post("receipts/", {"action": act, "ids": asked.id})
    if any("error" in each for each in answer["items"]):
        raise Refused({"code": "some-refused", "detail": "not all of them were moved", **answer})
    return answer


def sent(wire: Wire, asked: Namespace) -> Answer:
    query = {
        "open": "true" if asked.open else None,
        "type": asked.type,
        "topic": asked.topic,
        "limit": asked.limit,
        "cursor": asked.cursor,
    }
    return wire.get("sent/", query)


def search(wire: Wire, asked: Namespace) -> Answer:
    """Each argument is a word, or a phrase when it holds blanks."""
    words = [f'"{word}"' if " " in word and '"' not in word else word for word in asked.words]
    query = {
        "q": " ".join(words),
        **{name: getattr(asked, name) for name in ("topic", "type", "sender", "status", "since", "until")},
        "limit": asked.limit,
        "cursor": asked.cursor,
    }
    return wire.get("search/", query)


def _id(text: str) -> str:
    """A message's id as a part of a path."""
    if not text.strip("."):
        raise Misused("an id is no dot")
    return quote(text, safe="")
