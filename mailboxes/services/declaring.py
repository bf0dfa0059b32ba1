"""Storing what the files of a tree declare: the live declarations and the room template. See docs/tree.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mailboxes import models
from mailboxes.declarations import MailboxDeclaration, RoomTemplate
from workforce.models import Organization

BATCH = 100

#: The entry of a report for the room template.
PROJECTS = "projects"

_SETTLED_AT_OPENING = ("kind", "description", "members", "charter")
_SETTLED_AT_EVERY_LOAD = ("boards", "fallback", "board_actions", "is_template", "live")
_COLUMNS = (*_SETTLED_AT_OPENING, *_SETTLED_AT_EVERY_LOAD)


@dataclass(slots=True)
class Declaring:
    """What a load does to the live declarations, one row per ``MAILBOX.md`` that was ever loaded."""

    organization: Organization
    stored: list[models.Declaration] = field(default_factory=list)
    #: Rows whose file left the tree: no longer live.
    dropped: list[str] = field(default_factory=list)
    #: Live before, and now with other boards, routing or board actions, or live again.
    changed: list[str] = field(default_factory=list)
    #: Not live before this load.
    absent: list[str] = field(default_factory=list)

    @property
    def touched(self) -> list[str]:
        """The ids whose declaration this load writes, where it is or may have been a template's."""
        templates = [row.mailbox_id for row in self.stored if row.is_template]
        return sorted({*templates, *self.changed, *self.dropped})

    @property
    def undeclared(self) -> list[str]:
        """The ids of mailboxes that are not in the tree any more."""
        return sorted([*self.absent, *self.dropped])

    def apply(self, *, moment: datetime) -> None:
        """Write it. Must be called in a transaction, the organization locked."""
        for row in self.stored:
            row.loaded_at = moment
        models.Declaration.objects.bulk_create(
            self.stored,
            batch_size=BATCH,
            update_conflicts=True,
            unique_fields=["organization", "mailbox_id"],
            update_fields=[*_COLUMNS, "loaded_at"],
        )
        for start in range(0, len(self.dropped), BATCH):
            gone = self.dropped[start : start + BATCH]
            rows = models.Declaration.objects.filter(organization=self.organization, mailbox_id__in=gone)
            rows.update(live=False, loaded_at=moment)


def plan_declaring(
    *,
    organization: Organization,
    mailboxes: Iterable[MailboxDeclaration],
    templates: Iterable[MailboxDeclaration],
    is_kept: Callable[[str], bool],
) -> Declaring:
    """Compare the declarations of a tree with those stored. Only reads.

    A row whose file left the tree is no longer live, unless the mailbox ``is_kept``: its file is broken today.
    """
    rows = models.Declaration.objects.filter(organization=organization)
    present = {row[0]: row[1:] for row in rows.values_list("mailbox_id", *_COLUMNS)}
    plan = Declaring(organization)
    wanted = [(mailbox, False) for mailbox in mailboxes] + [(template, True) for template in templates]
    for declaration, is_template in wanted:
        columns = _columns(declaration, is_template)
        row = present.pop(declaration.id, None)
        if row == columns:
            continue
        plan.stored.append(_row(organization, declaration.id, columns))
        settled = len(_SETTLED_AT_OPENING)
        if row is not None and row[settled:] != columns[settled:]:
            plan.changed.append(declaration.id)
    _leave(plan, present, is_kept)
    return plan


def _leave(plan: Declaring, present: Mapping[str, tuple[Any, ...]], is_kept: Callable[[str], bool]) -> None:
    for mailbox_id, row in present.items():
        live, is_template = row[-1], row[-2]
        if not live:
            plan.absent += [] if is_template else [mailbox_id]
        elif not is_kept(mailbox_id):
            plan.dropped.append(mailbox_id)
            plan.changed.append(mailbox_id)


def _columns(declaration: MailboxDeclaration, is_template: bool) -> tuple[Any, ...]:
    return (
        declaration.kind,
        declaration.description,
        list(declaration.members),
        declaration.charter,
        list(declaration.boards),
        declaration.fallback or "",
        declaration.board_actions,
        is_template,
        True,
    )


def _row(organization: Organization, mailbox_id: str, columns: tuple[Any, ...]) -> models.Declaration:
    values = dict(zip(_COLUMNS, columns, strict=True))
    return models.Declaration(organization_id=organization.pk, mailbox_id=mailbox_id, **values)


@dataclass(slots=True)
class Templating:
    """What a load does to the organization's room template, which applies to every room."""

    organization: Organization
    wanted: RoomTemplate | None = None
    changed: bool = False

    def apply(self, *, moment: datetime) -> None:
        """Write it. Must be called in a transaction, the organization locked."""
        if not self.changed:
            return
        rows = models.RoomTemplate.objects
        if self.wanted is None:
            rows.filter(organization=self.organization).delete()
            return
        values = {"site": self.wanted.site, "seats": list(self.wanted.seats), "charter": self.wanted.charter}
        rows.update_or_create(organization=self.organization, defaults={**values, "loaded_at": moment})


def plan_templating(
    *, organization: Organization, template: RoomTemplate | None, is_kept: Callable[[str], bool]
) -> Templating:
    """Compare the tree's room template with the one stored. Only reads.

    The stored one stays when its site, a mailbox id or the path of projects.yaml, ``is_kept``: broken today.
    """
    row = models.RoomTemplate.objects.filter(organization=organization).first()
    present = None if row is None else RoomTemplate(row.site, tuple(row.seats), row.charter)
    if present == template or (present is not None and is_kept(present.site)):
        return Templating(organization)
    return Templating(organization, wanted=template, changed=True)
