"""What a kind is: named actions over a session, with closed inputs. See docs/sessions.md."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from workforce.kinds.work import Work

if TYPE_CHECKING:
    from workforce.callers import Caller
    from workforce.models import Request, Session


class ClosedModel(BaseModel):
    """The base of every action input and settings model: unknown keys are refused, types are strict."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class NoInput(ClosedModel):
    """An action that takes nothing."""


class Mode(StrEnum):
    """When an action runs: before the answer, or by a worker after the commit."""

    DATA = "data"
    BACKGROUND = "background"


@dataclass(frozen=True, slots=True)
class Call:
    """One run of one action: the locked session (for a serial action) and the request being written."""

    session: Session
    request: Request
    input: Any
    #: Who called; None when the run was dispatched from inside.
    caller: Caller | None = None
    #: Requests that this run owes; they are written in the same transaction as the run's own row.
    owed: list[Request] = field(default_factory=list)
    #: What the action's ``work`` returned.
    worked: Any = None


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a session of a kind can do.

    ``public`` actions may be called by clients; the others are internal entries that only a dispatch
    from inside reaches. A ``serial`` action runs one at a time per session, in arrival order: its session
    row is locked while it runs. ``reads`` marks an action that changes nothing of the session (grant
    ``flows:read``, its request row is kept for 24 hours). ``output`` is a type that pydantic can describe,
    for the OpenAPI document; None when it can be any JSON.

    A background action that takes time (a model's turn) does the slow part in ``work``, outside of any
    transaction and under a lease that is renewed; ``run`` then writes what came of it, with its completion.
    ``work`` may run again after a worker died, so each of its effects needs a key of its own.
    """

    name: str
    input: type[BaseModel]
    run: Callable[[Call], Any]
    mode: Mode = Mode.DATA
    public: bool = True
    serial: bool = False
    reads: bool = False
    description: str = ""
    output: Any = None
    work: Callable[[Work], Any] | None = None


class Kind:
    """What a session can do. One kind, one instance, however many sessions.

    Subclasses set ``name`` and ``description`` and return their actions from ``declare_actions``.
    """

    name: ClassVar[str]
    description: ClassVar[str] = ""
    #: The public action by which a person speaks in a session of the kind, and the field of its input that
    #: takes the words; None where nobody does.
    speaks: ClassVar[tuple[str, str] | None] = None

    def __init__(self) -> None:
        self._actions = {action.name: action for action in self.declare_actions()}

    def declare_actions(self) -> list[Action]:
        """Every public action and internal entry that all sessions of the kind have."""
        raise NotImplementedError

    @property
    def actions(self) -> Mapping[str, Action]:
        """The declared actions by name, internal entries included."""
        return self._actions

    def find_action(self, session: Session, name: str) -> Action | None:
        """The action of this name in this session; override when it depends on what the session holds.

        A kind may leave out a declared action where the session has none of it, and find others that no
        declaration lists.
        """
        return self._actions.get(name)

    def only_reads(self, name: str) -> bool:
        """Whether an action of this name changes nothing of the session, which need not be locked for it."""
        action = self._actions.get(name)
        return action is not None and action.reads

    def visible_state(self, session: Session) -> dict[str, Any]:
        """The part of the session's state that clients may see. Nothing by default."""
        return {}

    def check_changes(self, session: Session, changes: Collection[str]) -> None:
        """Raise a refusal when the owner may not change these of title, description, tags, metadata."""

    def check_deletable(self, session: Session) -> None:
        """Raise a refusal when the session may not be deleted by its owner. Any may, by default."""


class WorkerKind(Kind):
    """A kind that a worker can have: hired into an organization it becomes a seat.

    ``settings`` is the closed model of the keys that a ``WORKER.md`` of this kind may carry beside
    ``description``, ``flow`` and ``instructions``. What a seat can do is what its kind declares.
    """

    settings: ClassVar[type[BaseModel]]
    #: Whether its turns hold the tool ``messageWorker``.
    sends_messages: ClassVar[bool] = False
    #: Whether its runs end before it has answered: what it was handed then waits for the answer, not for the run.
    answers_later: ClassVar[bool] = False

    def takes_turns(self, settings: BaseModel) -> bool:
        """Whether a worker with these settings ever takes a turn of its own; only such a one can be messaged."""
        return True

    @property
    def hears_posts(self) -> bool:
        """Whether a mailbox post can wake a seat of this kind."""
        return "onMailboxPost" in self.actions

    @property
    def hears_messages(self) -> bool:
        """Whether another worker can message a seat of this kind."""
        return "onWorkerMessage" in self.actions

    @property
    def takes_tasks(self) -> bool:
        """Whether a seat of this kind can work a board's rows."""
        return "work" in self.actions

    @property
    def claims_tasks(self) -> bool:
        """Whether a seat of this kind is told of the rows that are ready for it, and takes them itself."""
        return "onTaskReady" in self.actions

    @property
    def takes_posts(self) -> bool:
        """Whether a coordinator can hand a post to a seat of this kind."""
        return "onDelegatedPost" in self.actions

    @property
    def hears_endings(self) -> bool:
        """Whether a seat of this kind is told how the tasks ended that it filed."""
        return "onTaskSettled" in self.actions
