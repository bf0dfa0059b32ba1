"""MAILBOX.md files, and the old places of mailboxes from before their rename. See docs/tree.md."""

from __future__ import annotations

from workforce.tree import (
    Layer,
    Place,
    ProblemKind,
    Record,
    RecordKind,
    Shape,
    TeamFolder,
    Walk,
    read_record_folder,
)
from workforce.tree.files import is_there
from workforce.tree.walking import Listing, list_folder

MAILBOX = RecordKind(
    layer=Layer.MAILBOX,
    failure=ProblemKind.MAILBOX_LOAD_FAILED,
    file_name="MAILBOX.md",
    refused={"system": "a mailbox runs no model; write its charter in the text below the frontmatter"},
)

_OLD_FILE = "CHANNEL.md"
_OLD_SLOT = "channels"


def read_mailboxes(walk: Walk, team: TeamFolder) -> list[Record]:
    """The mailboxes of one team, with ids ``<team>.<name>``.

    What fails, and what still has its old name, is reported on ``walk``.
    """
    _report_old_slot(walk, team)
    slot = f"{team.path}/mailboxes"
    records = []
    for name, shape in walk.list_slot(slot, team.listing.get("mailboxes"), Layer.MAILBOX).items():
        path = f"{slot}/{name}"
        if shape is Shape.FOLDER and _report_old_file(walk, path, f"{path}/{MAILBOX.file_name}"):
            continue
        record = read_record_folder(walk, Place(path, name, team.name), shape, MAILBOX)
        if record is not None:
            records.append(record)
    return records


def _report_old_slot(walk: Walk, team: TeamFolder) -> None:
    """Each old file in ``channels`` is one problem; without any, the folder is."""
    shape = team.listing.get(_OLD_SLOT)
    if shape is None:
        return
    slot = f"{team.path}/{_OLD_SLOT}"
    home = f"{team.path}/mailboxes"
    listing = _list_or_nothing(walk.locate(slot)) if shape is Shape.FOLDER else {}
    reported = [
        _report_old_file(walk, f"{slot}/{name}", f"{home}/{name}/{MAILBOX.file_name}")
        for name, child in listing.items()
        if child is Shape.FOLDER
    ]
    if not any(reported):
        _report_old(walk, slot, f"'{_OLD_SLOT}' is called 'mailboxes' now; move what is in it to {home}/")


def _list_or_nothing(path: str) -> Listing:
    try:
        return list_folder(path)
    except OSError:
        return {}


def _report_old_file(walk: Walk, folder: str, home: str) -> bool:
    """Whether ``folder`` holds an old file, which is then reported."""
    path = f"{folder}/{_OLD_FILE}"
    try:
        found = is_there(walk.locate(path))
    except OSError:
        return False
    if found:
        _report_old(walk, path, f"channels are called mailboxes now; move this file to {home}")
    return found


def _report_old(walk: Walk, path: str, message: str) -> None:
    walk.report(path, Layer.MAILBOX, ProblemKind.PRE_RENAME_RECORD, message)
