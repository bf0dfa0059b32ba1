"""What goes wrong between the service and an agent that lives outside. See docs/external-seats.md."""

from __future__ import annotations

from workforce.errors import DomainError


class OutsideUnreachable(DomainError):
    """The seat's actor cannot be reached in its inbox."""

    code = "outside-unreachable"
    status = 503


class NoAnswerText(DomainError):
    """The reply has no text: send a string, or an object with the key 'text'."""

    code = "no-answer-text"
    status = 422


class NothingToAnswer(DomainError):
    """What the item was about is not there any more."""

    code = "nothing-to-answer"
    status = 409
