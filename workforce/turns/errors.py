"""How a turn can end badly. The words never hold a key, a prompt or what an endpoint said. See docs/turns.md."""

from __future__ import annotations

from workforce.errors import DomainError


class ModelNotConfigured(DomainError):
    """No model is configured: set WORKFORCE_MODEL, or name one as the worker's 'model'."""

    code = "model-not-configured"
    status = 503


class UnknownModel(DomainError):
    """There is no model of this name."""

    code = "unknown-model"
    status = 422


class ModelUnreachable(DomainError):
    """The model's endpoint cannot be reached."""

    code = "model-unreachable"
    status = 502


class ModelBusy(DomainError):
    """The model's endpoint takes no more calls now."""

    code = "model-busy"
    status = 503


class ModelKeyRefused(DomainError):
    """The model's endpoint refused the key."""

    code = "model-key-refused"
    status = 502


class ModelRefused(DomainError):
    """The model's endpoint refused the call."""

    code = "model-refused"
    status = 502


class ModelFailed(DomainError):
    """The model's endpoint failed."""

    code = "model-failed"
    status = 502


class ModelAnswerUnreadable(DomainError):
    """The model's endpoint answered with something that is no answer of a model."""

    code = "model-answer-unreadable"
    status = 502


class TurnTooLong(DomainError):
    """The turn took longer than it may."""

    code = "turn-too-long"
    status = 504


class TurnLimitReached(DomainError):
    """The turn called its model or its tools more often than it may."""

    code = "turn-limit-reached"
    status = 422


class EmptyAnswer(DomainError):
    """The model ended the turn without an answer."""

    code = "empty-answer"
    status = 502


class NoWorker(DomainError):
    """The session belongs to no worker; call the action in a conversation of one."""

    code = "no-worker"
    status = 409


class WorkerRetired(DomainError):
    """The worker was retired: its conversations stay, and no new turn runs as it."""

    code = "worker-retired"
    status = 409


class WorkerUnreadable(DomainError):
    """The worker's kind or settings cannot be read any more."""

    code = "worker-unreadable"
    status = 409
