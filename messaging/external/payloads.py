"""What an item says to an agent that lives outside. Pure. See docs/external-seats.md, "Items"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from messaging.inbox.payloads import compact, size_of
from workforce.kinds.delegated import DelegatedPost
from workforce.kinds.messages import MessageDelivery
from workforce.kinds.posts import PostDelivery
from workforce.kinds.tasks import TaskDelivery

#: What can be left out of an item that is too large, first to last.
_SPARED = ("recent", "answered", "input", "context", "feedback")
#: What is cut when that is not enough.
_CUT = ("text", "goal")

_ANSWER_POST = (
    "Reply to this message with a text, or an object with the key 'text': it appears in the mailbox under your "
    "name. Complete this message when you are done with it."
)
_ANSWER_ROUTED = (
    "The mailbox routed this post to you and waits for your answer. Reply to this message with a text, or an "
    "object with the key 'text': the first that lands is the answer. Then complete this message."
)
_ANSWER_MESSAGE = (
    "Another worker wrote this. Reply to this message with a text, or an object with the key 'text', and it is "
    "sent back as your answer; send none when it needs none, and acknowledge this message."
)
_CLAIM = (
    "A row of a board that you work is ready. Claim it first, and work what the claim answers: somebody else may "
    "have taken this one. Settle it with the ticket. Completing this message settles no row; a reply to it "
    "appears in the board's mailbox."
)

_ANSWER_DELEGATED = (
    "A coordinator handed this post to you and waits for your answer. Reply to this message with a text, or an "
    "object with the key 'text': the first reply is the answer. Then complete this message."
)
_SETTLE_TASK = (
    "A worker filed this task for you, and it is yours: claim nothing. Reply to this message to settle it: with a "
    "text, or an object with one of the keys 'text' or 'output' (it is done), 'error' (it failed) or 'question' (it "
    "waits for an answer, with which it comes again). A message that is closed by its sender needs no reply any more."
)
#: What a reply that settles a task may hold, and what each key does.
SETTLING = {"text": "complete", "output": "complete", "error": "fail", "question": "park"}


def post_payload(delivery: PostDelivery) -> dict[str, Any]:
    """A post of a mailbox."""
    payload: dict[str, Any] = {
        "mailbox": delivery.mailbox_id,
        "postId": delivery.post_id,
        "from": delivery.author or delivery.principal,
        "principal": delivery.principal,
        "text": delivery.body,
        "how": _ANSWER_ROUTED if delivery.routed else _ANSWER_POST,
    }
    if delivery.recent:
        payload["recent"] = [{"from": line["from"], "text": line["text"]} for line in delivery.recent]
    return payload


def message_payload(delivery: MessageDelivery) -> dict[str, Any]:
    """A message of another worker."""
    payload: dict[str, Any] = {
        "messageId": delivery.message_id,
        "from": delivery.sender,
        "text": delivery.text,
        "how": _ANSWER_MESSAGE,
    }
    if delivery.reply_to is not None:
        payload["answers"] = delivery.reply_to
    return payload


def row_payload(*, board: str, worker: str, assignee: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a board that is ready for the seat: what it is, and the calls that take and settle it."""
    path = f"/api/boards/{quote(board, safe='')}"
    claim = {"worker": worker, **({"assignee": assignee} if assignee else {})}
    known = {name: value for name, value in row.items() if value not in ("", None, [])}
    return {
        "board": board,
        **known,
        "how": _CLAIM,
        "claim": {"grant": "boards:write", "method": "POST", "path": f"{path}/claim", "body": claim},
        "settle": {
            "complete": f"{path}/tasks/<task id>/complete",
            "fail": f"{path}/tasks/<task id>/fail",
            "park": f"{path}/tasks/<task id>/park",
            "renew": f"{path}/tasks/<task id>/renew",
            "release": f"{path}/tasks/<task id>/release",
        },
    }


def delegated_payload(delivery: DelegatedPost) -> dict[str, Any]:
    """A post that a coordinator handed to the seat."""
    payload: dict[str, Any] = {
        "coordinator": delivery.coordinator,
        "postId": delivery.post_id,
        "from": delivery.principal,
        "text": delivery.body,
        "how": _ANSWER_DELEGATED,
    }
    if delivery.round:
        payload["round"] = delivery.round
    for name, lines in (("recent", delivery.recent), ("answered", delivery.answers)):
        if lines:
            payload[name] = [{"from": line["from"], "text": line["text"]} for line in lines]
    return payload


def task_payload(delivery: TaskDelivery, filer: str) -> dict[str, Any]:
    """A row of a conversation's own board, which is held for the seat until it replies."""
    row = {
        "title": delivery.title,
        "goal": delivery.goal,
        "context": delivery.context,
        "input": delivery.input,
        "feedback": delivery.feedback,
    }
    known = {name: value for name, value in row.items() if value not in ("", None)}
    return {
        "taskId": delivery.task_id,
        "from": filer,
        **known,
        "attempt": delivery.attempt,
        "how": _SETTLE_TASK,
    }


def settlement_in(payload: Any) -> tuple[str, Any] | None:
    """What a reply does to a task (``complete``, ``fail`` or ``park``), and with what; None when that is not clear."""
    if isinstance(payload, str):
        payload = {"text": payload}
    keys = [key for key in SETTLING if key in payload] if isinstance(payload, dict) else []
    if len(keys) != 1:
        return None
    (key,) = keys
    value = payload[key]
    if key != "output" and not isinstance(value, str):
        return None
    return SETTLING[key], value


def refusal_payload(code: str, words: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """What became of a reply that could not be handed on."""
    return {"refused": code, "text": words, "about": dict(about)}


def answer_in(payload: Any) -> str | None:
    """The text of a reply: the payload itself, or its key ``text``; None when there is none."""
    text = payload.get("text") if isinstance(payload, dict) else payload
    return text if isinstance(text, str) else None


def fitted(payload: dict[str, Any], limit: int) -> dict[str, Any]:
    """The payload within the limit (bytes of compact JSON): whatever had to give way is named in ``leftOut``."""
    left_out: list[str] = []
    kept = dict(payload)
    for name in _SPARED:
        if _size(kept) <= limit:
            return kept
        if kept.pop(name, None) is not None:
            left_out.append(name)
            kept["leftOut"] = list(left_out)
    for name in _CUT:
        over = _size(kept) - limit
        if over > 0 and isinstance(kept.get(name), str):
            kept["leftOut"] = [*left_out, f"the end of {name}"]
            over = _size(kept) - limit
            kept[name] = _without_last(kept[name], over)
    return kept


def _without_last(text: str, over: int) -> str:
    """Without so many bytes at least: what JSON escapes takes more than it does here."""
    raw = text.encode()
    return raw[: max(0, len(raw) - over)].decode(errors="ignore")


def _size(payload: Any) -> int:
    return size_of(compact(payload))
