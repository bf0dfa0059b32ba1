"""Making the worker kinds known: the built-in ones and a deployment's own."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from workforce.kinds.base import WorkerKind
from workforce.kinds.handlers import register_handler
from workforce.kinds.registry import register_kind
from workforce.workers.agent import AgentKind
from workforce.workers.handler import HandlerKind


def register_worker_kinds() -> None:
    """Register the built-in worker kinds and those of ``WORKER_KINDS`` (name to dotted path).

    Raises ImproperlyConfigured for a path that is no worker kind and a key that is not its name.
    """
    register_kind(AgentKind())
    register_kind(HandlerKind())
    for name, path in settings.WORKER_KINDS.items():
        try:
            cls = import_string(path)
        except ImportError as error:
            raise ImproperlyConfigured(
                f"WORKER_KINDS: {name!r}: {path!r} cannot be imported: {error}"
            ) from error
        if not (isinstance(cls, type) and issubclass(cls, WorkerKind)):
            raise ImproperlyConfigured(
                f"WORKER_KINDS: {name!r}: {path!r} does not subclass workforce.kinds.WorkerKind"
            )
        own = getattr(cls, "name", None)
        if own != name:
            raise ImproperlyConfigured(f"WORKER_KINDS: the key {name!r} is not the kind's own name {own!r}")
        register_kind(cls())


def register_task_handlers() -> None:
    """Register the callables of ``TASK_HANDLERS`` (name to dotted path), which ``handler`` workers may name.

    Raises ImproperlyConfigured for a name that is not a text, and a path that is nothing to call.
    """
    for name, path in settings.TASK_HANDLERS.items():
        if not isinstance(name, str) or not name.strip():
            raise ImproperlyConfigured(f"TASK_HANDLERS: the name {name!r} is not a text that shows")
        try:
            handler = import_string(path)
        except ImportError as error:
            raise ImproperlyConfigured(
                f"TASK_HANDLERS: {name!r}: {path!r} cannot be imported: {error}"
            ) from error
        if not callable(handler):
            raise ImproperlyConfigured(f"TASK_HANDLERS: {name!r}: {path!r} cannot be called")
        register_handler(name, handler)
