"""How a worker message can be refused. Codes are the interface; see docs/worker-messages.md."""

from __future__ import annotations

from workforce.errors import DomainError


class EmptyMessage(DomainError):
    """The message has no text; write one."""

    code = "empty_message"
    status = 400


class MessageTooLong(DomainError):
    """The message is longer than 8,000 characters; say it shorter."""

    code = "message_too_long"
    status = 400


class NotYourself(DomainError):
    """The message is for its own sender; message another worker."""

    code = "not_yourself"


class NoWorker(DomainError):
    """There is no such worker on this user's roster."""

    code = "no_worker"


class WorkerUnavailable(DomainError):
    """The worker is on the roster, and cannot run."""

    code = "worker_unavailable"


class TakesTasksOnly(DomainError):
    """The worker only takes tasks; file one on a board that it works."""

    code = "takes_tasks_only"


class NoTurn(DomainError):
    """The worker hands everything on and takes no turn of its own; message one of its delegates."""

    code = "no_turn"


class NoSuchMessage(DomainError):
    """There is no message of this id that could be answered so."""

    code = "no_such_message"


class HopLimit(DomainError):
    """The chain has as many messages as it may have; stop passing on, and say so."""

    code = "hop_limit"


class PerTurnLimit(DomainError):
    """This turn has sent as many messages as it may."""

    code = "per_turn_limit"


class NotDelivered(DomainError):
    """The recipient's side refused the message."""

    code = "not_delivered"
