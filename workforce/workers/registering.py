"""Making the worker kinds known: the built-in ones and a deployment's own."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from workforce.kinds.base import WorkerKind
from workforce.kinds.registry import register_kind
from workforce.workers.agent import AgentKind


def register_worker_kinds() -> None:
    """Register the built-in worker kinds and those of ``WORKER_KINDS`` (name to dotted path).

    Raises ImproperlyConfigured for a path that is no worker kind and a key that is not its name.
    """
    register_kind(AgentKind())
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
