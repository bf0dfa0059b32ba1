"""Answers as people read them. What others wrote is shown without letters that a terminal would obey."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

Answer = dict[str, Any]


def plain(text: str) -> str:
    """The text with control characters and the like escaped, but for ends of lines and tabs."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else letter.encode("unicode_escape").decode()
        for letter in text
    )


def access_text(answer: Answer) -> Iterator[str]:
    yield f"{answer['passname']} ({answer['kind']}) in {answer['inbox']} of {answer['organization']}"
    yield f"may: {', '.join(answer['scopes']) or 'nothing'}"
    yield _counts(answer)


def queue_text(answer: Answer) -> Iterator[str]:
    yield f"{answer['inbox']}, {answer['passname']}: {_counts(answer)}"
    for item in answer["items"]:
        yield from _preview(item)
    if answer.get("leftOut"):
        yield f"{answer['leftOut']} more did not fit into the budget"
    yield from _more(answer)


def message_text(answer: Answer) -> Iterator[str]:
    yield _head(answer)
    if answer.get("removedAt"):
        yield "(its content was removed by retention)"
    elif "payloadExcerpt" in answer:
        yield f"{plain(answer['payloadExcerpt'])}…"
        yield f"(the first {len(answer['payloadExcerpt'])} characters; {answer['payloadSize']} bytes in all)"
    else:
        yield _payload(answer.get("payload"))


def thread_text(answer: Answer) -> Iterator[str]:
    for item in answer["items"]:
        yield from message_text(item)
        yield ""
    if answer.get("leftOut"):
        yield f"{answer['leftOut']} of {answer['total']} messages are not shown here"
    yield from _more(answer)


def sent_text(answer: Answer) -> Iterator[str]:
    """Of a send."""
    if answer.get("duplicate"):
        yield "sent before; nothing new was sent (--again sends it anyway)"
    yield _head(answer)
    for each in answer.get("recipients", []):
        yield f"  {_standing(each)}"


def outbound_text(answer: Answer) -> Iterator[str]:
    if not answer["items"]:
        yield "nothing"
    for item in answer["items"]:
        yield _head(item)
        for each in item["recipients"]:
            yield f"  {_standing(each)}"
        newest = item.get("newestReply")
        if newest:
            yield f"  replies: {item['replies']}, newest #{newest['seq']} by {newest['sender']} {newest['id']}"
    yield from _more(answer)


def found_text(answer: Answer) -> Iterator[str]:
    if not answer["items"]:
        yield "nothing was found"
    for item in answer["items"]:
        yield from _preview(item)
    yield from _more(answer)


def receipt_text(answer: Answer) -> Iterator[str]:
    yield f"{answer['state']} {answer['id']}"


def receipts_text(answer: Answer) -> Iterator[str]:
    for each in answer["items"]:
        error = each.get("error")
        yield (
            f"{error['code']} {each['id']}: {plain(error['message'])}"
            if error
            else f"{each['state']} {each['id']}"
        )


Shown = Callable[[Answer], Iterator[str]]


def _counts(answer: Answer) -> str:
    counts = answer["counts"]
    return f"{counts['open']} open ({counts['pending']} new), {answer['totalMessages']} messages in all"


def _preview(item: Answer) -> Iterator[str]:
    state = f" {item['state']}" if "state" in item else ""
    yield f"{_head(item)}{state}{' (closed by its sender)' if item.get('closedBySender') else ''}"
    yield f"  {plain(item['excerpt'])}{'…' if len(item['excerpt']) == 200 else ''}"


def _head(item: Answer) -> str:
    reply = f" replying to {item['replyingTo']}" if item.get("replyingTo") else ""
    approval = ", for approval" if item.get("approval") else ""
    return (
        f"#{item['seq']} {item['type']} '{item['topic']}' from {item['sender']}{approval}, "
        f"{_moment(item['createdAt'])} {item['id']}{reply}"
    )


def _standing(each: Answer) -> str:
    marks = [name for name in ("frozen", "retired", "left") if each.get(name)]
    pulled = each.get("lastPulledAt")
    seen = f", last pulled {_moment(pulled)}" if pulled else ", never pulled"
    return f"{each['passname']}: {each['state']}{seen}{', ' if marks else ''}{', '.join(marks)}"


def _payload(payload: Any) -> str:
    text = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False, indent=2)
    return plain(text)


def _moment(milliseconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(milliseconds / 1000))


def _more(answer: Answer) -> Iterator[str]:
    if answer.get("nextCursor"):
        yield f"more: --cursor {answer['nextCursor']}"
