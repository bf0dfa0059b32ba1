"""What one MAILBOX.md must obey, rule by rule, in a fixed order. See docs/mailboxes.md."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from mailboxes.boardnames import check_board_name
from mailboxes.declarations import DEFAULT_KIND, KEYS, KindFacts
from mailboxes.roomtemplates import check_template_file
from workforce.refusals import (
    UNSTORABLE,
    is_blank,
    is_storable,
    listed,
    quoted,
    repeats,
    shape_problem,
    strings_problem,
)
from workforce.tree.records import Record
from workforce.vocabulary import Vocabulary

#: What a line has room for as its author.
MEMBER_LENGTH = 130


@dataclass(frozen=True)
class Roster:
    """What a record is judged against: the mailbox kinds, and the seats of the load that hear posts."""

    kinds: Mapping[str, KindFacts]
    hearing_seats: Collection[str]
    flows: Vocabulary = field(init=False)
    keys: Vocabulary = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "flows", Vocabulary("flow", list(self.kinds)))
        object.__setattr__(self, "keys", Vocabulary("key", KEYS))


Rule = Callable[[Record, Roster], list[str]]


def first_failure(record: Record, roster: Roster) -> list[str]:
    """The problems of the first rule that the record breaks: one, or one for each repeated board."""
    for rule in RULES:
        problems = rule(record, roster)
        if problems:
            return problems
    return []


def kind_of(record: Record) -> str:
    """The kind that a sound record names."""
    return str(record.declared.get("flow", DEFAULT_KIND))


def _no_system(record: Record, roster: Roster) -> list[str]:
    if "system" not in record.declared:
        return []
    return ["'system' is not something a mailbox declares; where the folder stands decides it. Drop the key"]


def _no_id(record: Record, roster: Roster) -> list[str]:
    if "id" not in record.declared:
        return []
    return [
        "'id' is not something a mailbox declares; the id is <team folder>.<mailbox folder>. Drop the key"
    ]


def _only_known_keys(record: Record, roster: Roster) -> list[str]:
    unknown = [key for key in record.declared if key not in KEYS]
    return [roster.keys.refuse(unknown)] if unknown else []


def _one_charter(record: Record, roster: Roster) -> list[str]:
    if "instructions" in record.declared and not is_blank(record.body):
        return ["'instructions' stands beside a body; both are the charter, so keep one of the two"]
    return []


def _members(record: Record, roster: Roster) -> list[str]:
    if "members" not in record.declared:
        return []
    members = record.declared["members"]
    problem = strings_problem(members, "a list of strings")
    if problem:
        return [f"members: {problem}"]
    if any(is_blank(member) for member in members):
        return ["members: has an empty entry; write a name or take it out"]
    if not all(is_storable(member) for member in members):
        return [f"members: {UNSTORABLE}"]
    long = [member for member in members if len(member) > MEMBER_LENGTH]
    if long:
        return [f"members: {listed(long)} is longer than {MEMBER_LENGTH} characters; a worker's id never is"]
    twice = repeats(members)
    return [f"members: lists {listed(twice)} more than once; once is enough"] if twice else []


def _description(record: Record, roster: Roster) -> list[str]:
    description = record.declared.get("description", "")
    if not isinstance(description, str):
        return [f"description: {shape_problem(description, 'a string')}"]
    return [] if is_storable(description) else [f"description: {UNSTORABLE}"]


def _template(record: Record, roster: Roster) -> list[str]:
    problem = check_template_file(record, roster.hearing_seats)
    return [problem] if problem else []


def _boards(record: Record, roster: Roster) -> list[str]:
    if "boards" not in record.declared:
        return []
    boards = record.declared["boards"]
    problem = strings_problem(boards, "a list of board names")
    if problem:
        return [f"boards: {problem}"]
    wrong = [problem for name in dict.fromkeys(boards) if (problem := check_board_name(name))]
    if wrong:
        return [f"boards: {'; '.join(wrong)}"]
    return _repeated_boards(boards)


def _repeated_boards(names: list[str]) -> list[str]:
    problems = []
    seen: set[str] = set()
    for name in names:
        if name in seen:
            problems.append(f"boards: lists {quoted(name)} more than once; once is enough")
        seen.add(name)
    return problems


def _instructions(record: Record, roster: Roster) -> list[str]:
    instructions = record.declared.get("instructions", "")
    if not isinstance(instructions, str):
        return [f"instructions: {shape_problem(instructions, 'a string')}"]
    if not is_storable(instructions):
        return [f"instructions: {UNSTORABLE}"]
    return [] if is_storable(record.body) else [f"its body {UNSTORABLE}"]


def _board_actions(record: Record, roster: Roster) -> list[str]:
    value = record.declared.get("boardActions", False)
    return [] if isinstance(value, bool) else [f"boardActions: {shape_problem(value, 'true or false')}"]


def _routing(record: Record, roster: Roster) -> list[str]:
    if "routing" not in record.declared:
        return []
    routing = record.declared["routing"]
    if not isinstance(routing, dict):
        return [f"routing: {shape_problem(routing, 'a mapping with one key, fallback: <member>')}"]
    unknown = [key for key in routing if key != "fallback"]
    if unknown:
        return [f"routing: {Vocabulary('key', ['fallback']).refuse(unknown)}"]
    if "fallback" not in routing:
        return ["routing: has no fallback; write 'fallback: <member>', who takes a post that fits nobody"]
    fallback = routing["fallback"]
    if not isinstance(fallback, str):
        return [f"routing.fallback: {shape_problem(fallback, 'the name of a member')}"]
    return ["routing.fallback: is blank; name a member"] if is_blank(fallback) else []


def _flow_is_a_name(record: Record, roster: Roster) -> list[str]:
    flow = record.declared.get("flow", DEFAULT_KIND)
    if not isinstance(flow, str):
        return [f"flow: {shape_problem(flow, 'the name of a mailbox kind')}"]
    if is_blank(flow):
        return [f"flow: is blank; name a mailbox kind, or drop the key for '{DEFAULT_KIND}'"]
    return []


def _flow_is_registered(record: Record, roster: Roster) -> list[str]:
    flow = kind_of(record)
    if flow == "channel":
        return [
            f"flow: 'channel' is what mailboxes were called before; drop the key, or write '{DEFAULT_KIND}'"
        ]
    return [] if flow in roster.kinds else [f"flow: {roster.flows.refuse([flow])}"]


def _boards_on_built_in(record: Record, roster: Roster) -> list[str]:
    kind = roster.kinds[kind_of(record)]
    if kind.built_in or not record.declared.get("boards"):
        return []
    return [f"boards: a mailbox of the kind {quoted(kind.name)} cannot hold boards; drop 'boards' or 'flow'"]


def _kind_routes(record: Record, roster: Roster) -> list[str]:
    kind = roster.kinds[kind_of(record)]
    if kind.routes or "routing" not in record.declared:
        return []
    return [f"routing: a mailbox of the kind {quoted(kind.name)} cannot route; drop 'routing' or 'flow'"]


def _fallback_is_a_member(record: Record, roster: Roster) -> list[str]:
    if "routing" not in record.declared:
        return []
    fallback, members = record.declared["routing"]["fallback"], record.declared.get("members", [])
    if fallback in members:
        return []
    return [f"routing.fallback: {Vocabulary('member', members).refuse([fallback])}; list it under 'members'"]


def _fallback_hears(record: Record, roster: Roster) -> list[str]:
    if "routing" not in record.declared:
        return []
    fallback = record.declared["routing"]["fallback"]
    if fallback in roster.hearing_seats:
        return []
    words = (
        f"routing.fallback: {quoted(fallback)} has no seat in this load that hears posts; "
        "add a worker of that id, of a kind that hears posts, or name another member"
    )
    return [words]


#: In the order in which a record is judged; the first that fails is the one that is reported.
RULES: tuple[Rule, ...] = (
    _no_system,
    _no_id,
    _only_known_keys,
    _one_charter,
    _members,
    _description,
    _template,
    _boards,
    _instructions,
    _board_actions,
    _routing,
    _flow_is_a_name,
    _flow_is_registered,
    _boards_on_built_in,
    _kind_routes,
    _fallback_is_a_member,
    _fallback_hears,
)
