"""How delegation refuses. Codes are the interface; see docs/delegation.md."""

from __future__ import annotations

from workforce.errors import DomainError


class NotADelegate(DomainError):
    """The worker is not among the delegates of this conversation."""

    code = "not-a-delegate"
    status = 422


class DelegateUnavailable(DomainError):
    """The worker is a delegate, and cannot be handed this."""

    code = "delegate-unavailable"
    status = 409


class DelegateListed(DomainError):
    """The worker is a delegate already."""

    code = "already-a-delegate"
    status = 409


class TooManyDelegates(DomainError):
    """A conversation has at most 25 delegates; remove one first."""

    code = "too-many-delegates"
    status = 422


class AlreadyHandedOff(DomainError):
    """This post was handed to the worker already in this turn."""

    code = "already-handed-off"
    status = 409


class NobodyTookIt(DomainError):
    """A mailbox routed a post to the coordinator, and nobody took or answered it; the post has no answer."""

    code = "nobody-took-it"
    status = 409


class UnknownToken(DomainError):
    """No post of this conversation waits for an answer under this token."""

    code = "unknown-token"
    status = 409


class TotalTaskCapExceeded(DomainError):
    """The chain of tasks has as many as it may have, or is as deep as it may be."""

    code = "total_task_cap_exceeded"
    status = 409


class NotParkedOnQuestion(DomainError):
    """The task waits for no answer."""

    code = "not_parked_on_question"
    status = 409


class TaskAwaitingAnswer(DomainError):
    """The task was just answered, and its worker goes on with the answer; it cannot go to another one now."""

    code = "task_awaiting_answer"
    status = 409


class FollowUpOfUnfinished(DomainError):
    """Only a task that was worked and has ended can be followed up."""

    code = "follow_up_of_unfinished"
    status = 409


class FollowUpTakesNoAssignee(DomainError):
    """A follow-up goes to the worker of the task that it follows; leave the assignee out."""

    code = "follow_up_takes_no_assignee"
    status = 422


class SessionHasUnfinishedTask(DomainError):
    """The session of that task works another one still."""

    code = "session_has_unfinished_task"
    status = 409
