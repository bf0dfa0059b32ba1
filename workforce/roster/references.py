"""What a worker's settings name: tools, boards, documents, other workers. See docs/tree.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from workforce.names import local_name, team_of
from workforce.refusals import listed, quoted
from workforce.roster.faults import Fault
from workforce.roster.settings import JudgedSettings, setting_keys
from workforce.toolnames import check_tool_name_length, longest_tool, tool_suffix
from workforce.vocabulary import COMPARISONS, Vocabulary

_RENAMED = {
    "post-to-channel": "is called 'post-to-mailbox' now",
    "channels": "is called 'mailboxes' now, and is not a tool: write 'discover: [mailboxes]'",
}


class References:
    """Everything that workers of one roster may name, indexed once. ``comparisons`` bound the suggestions."""

    def __init__(
        self,
        *,
        workers: Collection[str],
        documents: Iterable[str],
        tools: Collection[str],
        boards: Collection[str],
        board_tool_names: Collection[str],
        comparisons: int = COMPARISONS,
    ) -> None:
        self._comparisons = comparisons
        self._workers = Vocabulary("worker", workers, comparisons=comparisons)
        self._tools = Vocabulary("tool", tools, comparisons=comparisons)
        self._boards = Vocabulary("board", boards, comparisons=comparisons)
        self._longest_tool = longest_tool(board_tool_names)
        self._documents: dict[str, set[str]] = defaultdict(set)
        for document in documents:
            self._documents[team_of(document) or ""].add(local_name(document))
        self._readable: dict[str, Vocabulary] = {}

    def problems(self, team: str, named: Named) -> Iterator[Fault]:
        """Each setting of a worker of the team (or of none) that names something which is not there."""
        yield from self._tool_problems(named)
        for field in ("drains", "board_tools"):
            yield from _unknown(named.key(field), self._boards, named.words(field))
        yield from self._board_tool_problems(named)
        yield from _unknown(named.key("resources"), self._documents_of(team), named.words("resources"))
        yield from _unknown(named.key("delegates"), self._workers, named.words("delegates"))
        yield from self._fallback_problems(named)

    def _tool_problems(self, named: Named) -> Iterator[Fault]:
        key, words = named.key("tools"), named.words("tools")
        unknown = self._tools.unknown(words)
        for word in unknown:
            if word in _RENAMED:
                yield Fault(key, f"{quoted(word)} {_RENAMED[word]}")
        yield from _unknown(key, self._tools, [word for word in unknown if word not in _RENAMED])

    def _board_tool_problems(self, named: Named) -> Iterator[Fault]:
        key = named.key("board_tools")
        held: dict[str, list[str]] = defaultdict(list)
        for board in dict.fromkeys(named.words("board_tools")):
            if board in self._boards:
                held[tool_suffix(board)].append(board)
                problem = check_tool_name_length(self._longest_tool, board)
                if problem:
                    yield Fault(key, f"{quoted(board)}: {problem}")
        for boards in held.values():
            if len(boards) > 1:
                words = f"{listed(boards)} would give tools of one name; keep one of them, or rename it"
                yield Fault(key, words)

    def _fallback_problems(self, named: Named) -> Iterator[Fault]:
        key, delegates = named.key("fallback"), named.words("delegates")
        for fallback in named.words("fallback"):
            if fallback not in self._workers:
                yield Fault(key, self._workers.refuse([fallback]))
            elif named.has("delegates") and fallback not in delegates:
                words = f"{quoted(fallback)} is not among the delegates; known: {listed(delegates)}"
                yield Fault(key, words)

    def _documents_of(self, team: str) -> Vocabulary:
        if team not in self._readable:
            own = self._documents.get(team, set()) if team else set()
            names = self._documents.get("", set()) | own | {f"{team}.{name}" for name in own}
            self._readable[team] = Vocabulary("document", names, comparisons=self._comparisons)
        return self._readable[team]


class Named:
    """The words under a worker's settings, by the attribute that holds them.

    Read from the validated model; when that was refused, from those declared values that have the shape,
    so that a wrong setting does not hide an unknown name in another one.
    """

    def __init__(self, judged: JudgedSettings, keys: dict[str, str]) -> None:
        self._judged = judged
        self._key_of = {name: key for key, name in keys.items()}

    def has(self, field: str) -> bool:
        """Whether the kind's settings have this attribute."""
        return field in self._key_of

    def key(self, field: str) -> str:
        """The key that files use for the attribute."""
        return self._key_of.get(field, field)

    def words(self, field: str) -> list[str]:
        """The strings that the setting holds; a single string counts as a list of one."""
        if not self.has(field):
            return []
        if self._judged.model is None:
            value = self._judged.declared.get(self.key(field))
        else:
            value = getattr(self._judged.model, field, None)
        if isinstance(value, str):
            return [value]
        return [word for word in value if isinstance(word, str)] if isinstance(value, (list, tuple)) else []


def named_by(judged: JudgedSettings, model: type) -> Named:
    """The words that judged settings of this model name."""
    return Named(judged, setting_keys(model))


def _unknown(key: str, known: Vocabulary, words: Iterable[str]) -> Iterator[Fault]:
    unknown = known.unknown(words)
    if unknown:
        yield Fault(key, known.refuse(unknown))
