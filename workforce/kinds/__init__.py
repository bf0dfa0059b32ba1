"""Kinds: what a session can do. Public names of the package."""

from workforce.kinds.base import Action, Call, ClosedModel, Kind, Mode, NoInput, WorkerKind
from workforce.kinds.registry import get_kind, kind_names, register_kind, registered_kinds, worker_kinds
from workforce.kinds.work import Failure, RunAborted, RunLost, Work

__all__ = [
    "Action",
    "Call",
    "ClosedModel",
    "Failure",
    "Kind",
    "Mode",
    "NoInput",
    "RunAborted",
    "RunLost",
    "Work",
    "WorkerKind",
    "get_kind",
    "kind_names",
    "register_kind",
    "registered_kinds",
    "worker_kinds",
]
