"""Data from before channels were called mailboxes. See docs/mailboxes.md, "Old data"."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from workforce.models import InventoryMailbox, Item, Organization, Request, Session

OLD_KIND = "channel"
OLD_PREFIX = "channels/"
OLD_COMPONENTS = ("channel-post", "channel-route")
RECENT_REQUESTS = 50


@dataclass(frozen=True, slots=True)
class PreRenameMark:
    """One thing that is old data: a session or an organization, by id, and why."""

    id: str
    organization: str
    reason: str


@dataclass(frozen=True, slots=True)
class PreRenameMarks:
    """All that is old data, sorted; nothing of it when the store is clean."""

    sessions: tuple[PreRenameMark, ...]
    organizations: tuple[PreRenameMark, ...]

    def __bool__(self) -> bool:
        return bool(self.sessions or self.organizations)


def find_pre_rename_marks(*, organization: Organization | None = None) -> PreRenameMarks:
    """What is old in one organization, or in all. Only reads."""
    sessions = Session.objects.select_related("organization").order_by("organization__slug", "address")
    inventory = InventoryMailbox.objects.filter(Q(kind=OLD_KIND) | Q(mailbox_id__startswith=OLD_PREFIX))
    if organization is not None:
        sessions = sessions.filter(organization=organization)
        inventory = inventory.filter(organization=organization)
    marks = [*_old_sessions(sessions), *_old_transcripts(sessions)]
    return PreRenameMarks(
        sessions=tuple(sorted(marks, key=lambda mark: (mark.organization, mark.id))),
        organizations=tuple(_old_inventories(inventory)),
    )


def _old_sessions(sessions: QuerySet[Session]) -> list[PreRenameMark]:
    return [
        PreRenameMark(session.address, session.organization.slug, f"it is a session of the kind '{OLD_KIND}'")
        for session in sessions.filter(kind=OLD_KIND)
    ]


def _old_transcripts(sessions: QuerySet[Session]) -> list[PreRenameMark]:
    """Sessions of today's kinds with old items among what their last requests wrote."""
    suspects = Item.objects.filter(component__in=OLD_COMPONENTS).values("session")
    marks = []
    for session in sessions.filter(pk__in=suspects).exclude(kind=OLD_KIND):
        recent = Request.objects.filter(session=session).order_by("-id").values_list("uid", flat=True)
        items = Item.objects.filter(
            session=session, component__in=OLD_COMPONENTS, request__in=list(recent[:RECENT_REQUESTS])
        )
        found = items.order_by("seq").first()
        if found is not None:
            reason = f"its recent transcript holds '{found.component}' items"
            marks.append(PreRenameMark(session.address, session.organization.slug, reason))
    return marks


def _old_inventories(rows: QuerySet[InventoryMailbox]) -> list[PreRenameMark]:
    slugs = rows.order_by("organization__slug").values_list("organization__slug", flat=True).distinct()
    reason = f"its inventory holds rows under the old prefix '{OLD_PREFIX}' or of the kind '{OLD_KIND}'"
    return [PreRenameMark(slug, slug, reason) for slug in slugs]
