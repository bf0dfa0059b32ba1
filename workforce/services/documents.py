"""Installing the documents of a tree. See docs/tree.md, "Loading"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from workforce.models import Document, Organization
from workforce.names import team_of
from workforce.tree import Record
from workforce.tree.broken import Broken, document_path

BATCH = 100


@dataclass(slots=True)
class Installing:
    """What a load does to the organization's documents."""

    organization: Organization
    installed: list[Document] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)

    def apply(self, *, moment: datetime) -> None:
        """Write it. Must be called in a transaction, the organization locked."""
        for document in self.installed:
            document.changed_at = moment
        Document.objects.bulk_create(
            self.installed,
            batch_size=BATCH,
            update_conflicts=True,
            unique_fields=["organization", "document_id"],
            update_fields=["team", "description", "body", "changed_at", "retired_at"],
        )
        for start in range(0, len(self.retired), BATCH):
            gone = self.retired[start : start + BATCH]
            rows = Document.objects.filter(organization=self.organization, document_id__in=gone)
            rows.update(retired_at=moment)


def plan_installing(*, organization: Organization, documents: Sequence[Record], broken: Broken) -> Installing:
    """Compare the documents of a tree with those installed. Only reads.

    ``installed`` are the new, the changed and the returned ones; a document that left the tree is to be retired,
    unless its place is ``broken`` today.
    """
    rows = Document.objects.filter(organization=organization)
    columns = rows.values_list("document_id", "description", "body", "retired_at")
    present = {row[0]: row[1:] for row in columns}
    plan = Installing(organization)
    for record in documents:
        texts = (record.declared["description"], record.body)
        if present.pop(record.id, None) != (*texts, None):
            plan.installed.append(_document(organization, record.id, *texts))
    for document_id, (_description, _body, retired_at) in present.items():
        if retired_at is None and not broken.touches(document_path(document_id)):
            plan.retired.append(document_id)
    return plan


def _document(organization: Organization, document_id: str, description: str, body: str) -> Document:
    return Document(
        organization=organization,
        document_id=document_id,
        team=team_of(document_id) or "",
        description=description,
        body=body,
    )
