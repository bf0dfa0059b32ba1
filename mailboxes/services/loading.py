"""Loading a workforce tree into an organization: all of it, or nothing. See docs/tree.md, "Loading"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction

from boards.services.minting import HeldBoard, Minting, plan_minting
from boards.services.staffing import settle_workers
from mailboxes.boardnames import board_id
from mailboxes.declarations import MailboxDeclaration
from mailboxes.errors import LoadRefused
from mailboxes.kindfacts import mailbox_kind_facts
from mailboxes.services.declaring import (
    PROJECTS,
    Declaring,
    Templating,
    plan_declaring,
    plan_templating,
)
from mailboxes.services.inventory import Registering, plan_registering
from mailboxes.services.judging import JudgedTree, judge_tree
from mailboxes.services.keeping import read_kept
from mailboxes.services.marking import mark_templates
from mailboxes.services.noticing import boards_attended, boards_drained, load_warnings
from mailboxes.services.opening import Opening, open_mailboxes, plan_opening, read_occupants
from mailboxes.services.reporting import LoadReport, document_names, refusals_of, refused_load
from mailboxes.tree import Tree
from mailboxes.tree.broken import site_path
from messaging.external.selectors.standing import EXTERNAL, outside_warnings
from workforce import clock
from workforce.kinds import worker_kinds
from workforce.locks import lock_organization
from workforce.models import Document, Organization, Seat, User
from workforce.refusals import Refusal
from workforce.services.documents import Installing, plan_installing
from workforce.services.hiring import Hiring, plan_hiring
from workforce.tree.broken import mailbox_path

Whose = Callable[[], tuple[Organization, User]]


def load_tree(
    *, tree: Tree, organization: Organization, user: User, skip_broken: bool = False, check: bool = False
) -> LoadReport:
    """Hire the seats, store the declarations, open the mailboxes of a tree, in one transaction.

    Mailboxes that are opened belong to ``user``. Problems (unless ``skip_broken``), refusals of the binding and ids
    that may not be taken are in the report, and then nothing was changed. ``check`` reads and binds only. Loads of
    one organization wait for each other; a second one over an unchanged tree writes nothing.
    """
    return load_tree_for(tree=tree, whose=lambda: (organization, user), skip_broken=skip_broken, check=check)


def load_tree_for(*, tree: Tree, whose: Whose, skip_broken: bool = False, check: bool = False) -> LoadReport:
    """As ``load_tree``; ``whose`` gives the organization and the user inside the load's own transaction.

    What ``whose`` makes is taken back with the rest when the load is refused; what it raises is raised.
    """
    report = LoadReport(problems=tree.problems, skip_broken=skip_broken, records=_records(tree))
    if report.stopped:
        return report
    judged = judge_tree(tree=tree)
    # What is broken today may be what a sound record names, and be live: the database knows.
    undecided = bool(judged.refusals and tree.problems) and not check
    if not undecided:
        report.refusals = judged.refusals
    report.warnings = _emptiness(tree)
    if report.stopped or check:
        return report
    try:
        with transaction.atomic():
            organization, user = whose()
            lock_organization(organization)
            _check_not_emptied(tree, organization)
            if undecided:
                judged = _judge_again(judged, organization)
            _apply(_plan(judged, organization, user), report)
    except LoadRefused as error:
        report.refusals, report.warnings = refusals_of(error), []
        if not report.refusals:
            raise
    return report


def _judge_again(judged: JudgedTree, organization: Organization) -> JudgedTree:
    """The same tree where what was live and is broken today may be named. Raises LoadRefused."""
    kept = read_kept(organization=organization, broken=judged.broken)
    again = judge_tree(tree=judged.tree, kept=kept)
    if again.refusals:
        raise refused_load(again.refusals)
    return again


@dataclass(frozen=True, slots=True)
class _Plan:
    """Everything a load is going to do, before anything is written."""

    judged: JudgedTree
    hiring: Hiring
    installing: Installing
    declaring: Declaring
    templating: Templating
    minting: Minting
    opening: Opening
    registering: Registering
    undeclared: list[str]


def _plan(judged: JudgedTree, organization: Organization, user: User) -> _Plan:
    mailboxes, broken = judged.binding.declarations, judged.broken

    def is_kept(mailbox_id: str) -> bool:
        return broken.touches(mailbox_path(mailbox_id))

    declaring = plan_declaring(
        organization=organization, mailboxes=mailboxes, templates=judged.templates, is_kept=is_kept
    )
    left = read_occupants(organization, declaring.undeclared)
    return _Plan(
        judged=judged,
        hiring=plan_hiring(organization=organization, seats=judged.roster.seats, broken=broken),
        installing=plan_installing(organization=organization, documents=judged.tree.documents, broken=broken),
        declaring=declaring,
        templating=plan_templating(
            organization=organization,
            template=judged.binding.template,
            is_kept=lambda site: broken.touches(site_path(site)),
        ),
        minting=plan_minting(organization=organization, held=_held(mailboxes), is_kept=is_kept),
        opening=plan_opening(
            organization=organization, user=user, kinds=mailbox_kind_facts(), declarations=mailboxes
        ),
        registering=plan_registering(organization=organization, templates=judged.binding.template_ids),
        undeclared=sorted(id for id, occupant in left.items() if occupant.is_open),
    )


def _apply(plan: _Plan, report: LoadReport) -> None:
    moment = clock.now()
    report.opened = open_mailboxes(plan=plan.opening, moment=moment)
    plan.hiring.apply(moment=moment)
    plan.installing.apply(moment=moment)
    plan.declaring.apply(moment=moment)
    mark_templates(organization=plan.declaring.organization, mailbox_ids=plan.declaring.touched)
    plan.templating.apply(moment=moment)
    plan.minting.apply()
    settle_workers(organization=plan.declaring.organization, drains=_drains(plan))
    mailboxes = plan.judged.binding.declarations
    facts: dict[str, tuple[str, Sequence[str]]] = {item.id: (item.kind, item.members) for item in mailboxes}
    facts |= {id: (occupant.kind, occupant.members) for id, occupant in plan.opening.present.items()}
    plan.registering.apply(mailboxes=facts, moment=moment)
    _fill(report, plan)


def _fill(report: LoadReport, plan: _Plan) -> None:
    hiring, declaring = plan.hiring, plan.declaring
    report.applied = True
    report.unchanged = sorted(plan.opening.present)
    report.hired = _ids([*hiring.hired, *hiring.rehired])
    report.changed = [
        *_ids(hiring.changed),
        *sorted(set(declaring.changed) - set(report.opened)),
        *document_names(sorted(document.document_id for document in plan.installing.installed)),
        *([PROJECTS] if plan.templating.changed else []),
    ]
    report.retired = [*_ids(hiring.retired), *document_names(sorted(plan.installing.retired))]
    report.undeclared = plan.undeclared
    seats = plan.judged.roster.seats
    hearing = {name for name, kind in worker_kinds().items() if kind.hears_posts}
    report.warnings += load_warnings(
        declarations=plan.judged.binding.declarations,
        present=plan.opening.present,
        attended=boards_attended(
            [*(seat.settings for seat in seats), *(seat.settings for seat in hiring.kept)]
        ),
        answering={seat.id for seat in seats if seat.hears_posts}
        | {seat.seat_id for seat in hiring.kept if seat.kind in hearing},
    )
    report.warnings += outside_warnings(
        declaring.organization, [(seat.id, seat.settings) for seat in seats if seat.kind == EXTERNAL]
    )


def _drains(plan: _Plan) -> dict[str, list[str]]:
    """The ids of the live seats by the board that they drain."""
    settings = [(seat.id, seat.settings) for seat in plan.judged.roster.seats]
    return boards_drained([*settings, *((seat.seat_id, seat.settings) for seat in plan.hiring.kept)])


def _ids(seats: Sequence[Seat]) -> list[str]:
    return sorted(seat.seat_id for seat in seats)


def _held(mailboxes: Sequence[MailboxDeclaration]) -> list[HeldBoard]:
    return [
        HeldBoard(board_id(mailbox.id, name), mailbox.id, name, mailbox.board_actions)
        for mailbox in mailboxes
        for name in mailbox.boards
    ]


def _records(tree: Tree) -> int:
    parts = (tree.workers, tree.teams, tree.documents, tree.mailboxes)
    return sum(map(len, parts)) + (tree.projects is not None)


def _emptiness(tree: Tree) -> list[str]:
    if _records(tree) or tree.problems:
        return []
    return ["nothing was found in this tree; is its root the folder that holds 'teams'?"]


def _check_not_emptied(tree: Tree, organization: Organization) -> None:
    """Raise LoadRefused for a tree without anything when the organization has something to lose by it."""
    if _records(tree) or tree.problems:
        return
    live = (
        Seat.objects.filter(organization=organization, owner=None, retired_at=None).exists()
        or Document.objects.filter(organization=organization, retired_at=None).exists()
        or organization.declarations.filter(live=True).exists()
    )
    if live:
        words = (
            f"nothing was found in this tree, and the organization '{organization.slug}' has live seats, documents "
            "or mailboxes, which such a load would retire; is its root the folder that holds 'teams'?"
        )
        raise refused_load([Refusal("tree", words)])
