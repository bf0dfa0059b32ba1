"""Bind the mailboxes of a tree: all sound, or every problem at once. See docs/mailboxes.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from mailboxes.boardnames import board_suffix, check_board_tools
from mailboxes.declarations import Binding, KindFacts, MailboxDeclaration, RoomTemplate
from mailboxes.roomtemplates import is_template, projects_problems, projects_template, site_of, template_of
from mailboxes.rules import Roster, first_failure, kind_of
from workforce.refusals import Refusal, is_blank, listed, quoted
from workforce.tree.records import Record


def bind_mailboxes(
    *,
    records: Sequence[Record],
    projects: Record | None,
    kinds: Mapping[str, KindFacts],
    hearing_seats: Collection[str],
    tool_names: Sequence[str],
) -> Binding:
    """What the mailboxes of one load become, with every problem of every file. Never raises.

    ``projects`` is the organization's projects.yaml, ``kinds`` are the registered mailbox kinds,
    ``hearing_seats`` the ids of the load's seats that hear posts, ``tool_names`` the tools that
    ``boardActions`` exposes.
    """
    hearing = frozenset(hearing_seats)
    ordered = sorted(records, key=lambda record: (record.id, record.path))
    sound, refusals = _judged_records(ordered, Roster(kinds, hearing))
    declarations = tuple(declaration(record) for record in sound if not is_template(record))
    refusals += _board_refusals(declarations, tool_names)
    template, problems = _room_template(ordered, sound, projects, hearing)
    return Binding(
        declarations=declarations,
        template=template,
        template_ids=tuple(dict.fromkeys(record.id for record in ordered if is_template(record))),
        refusals=(*refusals, *problems),
        declared=len(records) + (projects is not None),
    )


def declaration(record: Record) -> MailboxDeclaration:
    """The declaration of a record that broke no rule."""
    declared = record.declared
    return MailboxDeclaration(
        id=record.id,
        kind=kind_of(record),
        description=declared.get("description", ""),
        members=tuple(declared.get("members", ())),
        charter=charter_of(record),
        boards=tuple(declared.get("boards", ())),
        fallback=declared["routing"]["fallback"] if "routing" in declared else None,
        board_actions=declared.get("boardActions", False),
    )


def charter_of(record: Record) -> str:
    """The body when it has a character that is not blank, else ``instructions``, else nothing."""
    if not is_blank(record.body):
        return record.body
    return str(record.declared.get("instructions", ""))


def _judged_records(ordered: Sequence[Record], roster: Roster) -> tuple[list[Record], list[Refusal]]:
    sound: list[Record] = []
    refusals: list[Refusal] = []
    path_of: dict[str, str] = {}
    for record in ordered:
        if record.id in path_of:
            paths = f"{quoted(path_of[record.id])} and at {quoted(record.path)}"
            refusals.append(Refusal(record.id, f"is declared twice, at {paths}; keep one"))
            continue
        path_of[record.id] = record.path
        problems = first_failure(record, roster)
        refusals += [Refusal(record.id, problem) for problem in problems]
        if not problems:
            sound.append(record)
    return sound, refusals


def _board_refusals(declarations: Sequence[MailboxDeclaration], tool_names: Sequence[str]) -> list[Refusal]:
    return [
        *_boards_minted_twice(declarations),
        *_clashing_suffixes(declarations),
        *_long_tool_names(declarations, tool_names),
    ]


def _boards_minted_twice(declarations: Sequence[MailboxDeclaration]) -> Iterator[Refusal]:
    holder: dict[str, str] = {}
    for mailbox in declarations:
        for board in mailbox.board_ids:
            if board in holder:
                yield Refusal(
                    mailbox.id,
                    f"the board {quoted(board)} is also held by {quoted(holder[board])}; rename one",
                )
            holder.setdefault(board, mailbox.id)


def _clashing_suffixes(declarations: Sequence[MailboxDeclaration]) -> Iterator[Refusal]:
    holders: dict[tuple[str, str], list[tuple[str, MailboxDeclaration]]] = defaultdict(list)
    for mailbox in declarations:
        for board in mailbox.board_ids:
            holders[mailbox.kind, board_suffix(board)].append((board, mailbox))
    for (_kind, suffix), held in holders.items():
        opted_in = next((mailbox for _, mailbox in held if mailbox.board_actions), None)
        boards = dict.fromkeys(board for board, _ in held)
        if opted_in and len(boards) > 1:
            yield Refusal(
                opted_in.id,
                f"boardActions: the actions of the boards {listed(boards)} would all end with '_{suffix}'; "
                "rename all but one of these boards",
            )


def _long_tool_names(
    declarations: Sequence[MailboxDeclaration], tool_names: Sequence[str]
) -> Iterator[Refusal]:
    for mailbox in declarations:
        if mailbox.board_actions:
            for board in mailbox.board_ids:
                problem = check_board_tools(board, tool_names)
                if problem:
                    yield Refusal(mailbox.id, f"boardActions: board {quoted(board)}: {problem}")


def _room_template(
    ordered: Sequence[Record], sound: Sequence[Record], projects: Record | None, hearing: frozenset[str]
) -> tuple[RoomTemplate | None, list[Refusal]]:
    """The one template, if any; with what is wrong with projects.yaml, and with a second template."""
    refusals: list[Refusal] = []
    found = [template_of(record, charter_of(record)) for record in sound if is_template(record)]
    if projects is not None:
        problems = projects_problems(projects, hearing)
        refusals += [Refusal(site_of(projects), problem) for problem in problems]
        template = None if problems else projects_template(projects)
        found += [template] if template else []
    rivals = _template_sites(ordered, projects)
    if len(rivals) > 1:
        refusals.append(
            Refusal(rivals[0], f"there are {len(rivals)} room templates: {listed(rivals)}; keep one")
        )
    return (found[0] if len(found) == 1 and len(rivals) == 1 else None), refusals


def _template_sites(ordered: Sequence[Record], projects: Record | None) -> list[str]:
    """Where templates stand, broken ones included: mending one of two rivals must not bring up the other."""
    sites = dict.fromkeys(record.id for record in ordered if record.declared.get("mintFor") == "projects")
    in_projects = projects is not None and "talk" in projects.declared
    return [*sites, *([site_of(projects)] if projects is not None and in_projects else [])]
