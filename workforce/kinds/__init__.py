"""Kinds: what a session can do. Public names of the package."""

from workforce.kinds.base import Action, Call, ClosedModel, Kind, Mode, NoInput, WorkerKind
from workforce.kinds.registry import get_kind, kind_names, register_kind, registered_kinds, worker_kinds

__all__ = [
    "Action",
    "Call",
    "ClosedModel",
    "Kind",
    "Mode",
    "NoInput",
    "WorkerKind",
    "get_kind",
    "kind_names",
    "register_kind",
    "registered_kinds",
    "worker_kinds",
]
