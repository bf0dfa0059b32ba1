"""What costs one record: every way, for every kind of record."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailboxes.tree import Tree, read_tree
from tests.workforce.tree.trees import GOOD, link, write


@dataclass(frozen=True)
class Case:
    layer: str
    file: str
    path: str
    """Where its problems are reported."""

    id: str

    def neighbours(self) -> dict[str, str]:
        """Records that must load whatever happens to this one."""
        return {
            "org/workers/z/WORKER.md": GOOD,
            "org/resources/z.md": GOOD,
            "teams/z/TEAM.md": GOOD,
            "teams/z/workers/z/WORKER.md": GOOD,
            "teams/z/mailboxes/z/MAILBOX.md": GOOD,
            "teams/a/mailboxes/z/MAILBOX.md": GOOD,
        }


CASES = [
    Case("worker", "org/workers/n/WORKER.md", "org/workers/n", "n"),
    Case("worker", "teams/a/workers/n/WORKER.md", "teams/a/workers/n", "a.n"),
    Case("mailbox", "teams/a/mailboxes/n/MAILBOX.md", "teams/a/mailboxes/n", "a.n"),
    Case("team", "teams/a/TEAM.md", "teams/a", "a"),
    Case("document", "org/resources/n.md", "org/resources/n.md", "n"),
    Case("document", "teams/a/resources/n.md", "teams/a/resources/n.md", "a.n"),
]
FOLDERS = [case for case in CASES if case.layer in ("worker", "mailbox")]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.path)
every_folder = pytest.mark.parametrize("case", FOLDERS, ids=lambda case: case.path)


def all_ids(tree: Tree) -> list[str]:
    return sorted(
        f"{kind} {record.id}"
        for kind in ("workers", "teams", "documents", "mailboxes")
        for record in getattr(tree, kind)
    )


def fail(root: Path, case: Case, kind: str | None = None) -> str:
    """The message of the only problem, which cost the record of the case and no other."""
    tree = read_tree(root)
    (problem,) = tree.problems
    assert (problem.path, problem.layer) == (case.path, case.layer)
    assert problem.kind == (kind or f"{case.layer}-load-failed")
    assert all_ids(tree) == [
        "documents z",
        "mailboxes a.z",
        "mailboxes z.z",
        "teams z",
        "workers z",
        "workers z.z",
    ]
    return problem.message


def write_case(root: Path, case: Case, text: str | bytes) -> None:
    write(root, {**case.neighbours(), case.file: text})


@every_case
def test_read_record__good(tmp_path: Path, case: Case) -> None:
    write_case(tmp_path, case, GOOD)
    tree = read_tree(tmp_path)
    assert tree.problems == ()
    assert f"{case.layer}{'es' if case.layer == 'mailbox' else 's'} {case.id}" in all_ids(tree)


@every_case
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"---\ndescription: x\n---\n\xff", "is not UTF-8 (line 4, column 1)"),
        (b"---\ndescription: x\n---\n" + b"x" * 262_144, "256 KiB"),
        ("", "no frontmatter"),
        ("Only text.\n", "no frontmatter"),
        ("---\ndescription: x\n", "no frontmatter"),
        ("---\n---\n", "is empty"),
        ("---\n- x\n---\n", "line 2, column 1: it must be a mapping"),
        ("---\nflow: x\ndescription: @x\n---\n", "line 3, column 14"),
        ("---\ndescription: x\nflow: a\nflow: b\n---\n", "line 4, column 1: the key 'flow' is there twice"),
        ("---\ndescription: x\nflow: &a b\n---\n", "line 3, column 7: anchors"),
        ("---\ndescription: x\n---\n\0", "line 4, column 1: a NUL"),
        ("---\nflow: x\n---\n", "'description' is missing"),
        ("---\nDescription: x\n---\n", "'description' is missing"),
        ("---\ndescription:\n---\n", "'description' must be text"),
        ("---\ndescription: 12\n---\n", "'description' must be text"),
        ("---\ndescription: true\n---\n", "'description' must be text"),
        ("---\ndescription: [x]\n---\n", "'description' must be text"),
        ("---\ndescription: {x: y}\n---\n", "'description' must be text"),
        ("---\ndescription: ''\n---\n", "'description' is blank"),
        ('---\ndescription: " \\t\\n\\u00a0"\n---\n', "'description' is blank"),
    ],
)
def test_read_record__text_that_fails(tmp_path: Path, case: Case, text: str | bytes, words: str) -> None:
    write_case(tmp_path, case, text)
    assert words in fail(tmp_path, case)


@pytest.mark.parametrize(
    "text",
    [
        "---\ndescription: '12'\n---\n",
        "---\ndescription: no\n---\n",
        "---\ndescription: 2024-01-01\n---\n",
        "\ufeff---\r\ndescription: x\r\n---\r\n",
        "---\ndescription: x\n---\n" + "x" * (262_144 - 23),
    ],
)
@every_case
def test_read_record__text_that_loads(tmp_path: Path, case: Case, text: str) -> None:
    write_case(tmp_path, case, text)
    assert read_tree(tmp_path).problems == ()


@every_folder
def test_read_record__missing_file(tmp_path: Path, case: Case) -> None:
    write_case(tmp_path, case, GOOD)
    file = tmp_path / case.file
    file.rename(file.with_name("OTHER.md"))
    assert f"{file.name} is missing" in fail(tmp_path, case)


@every_case
@pytest.mark.parametrize("dangling", [False, True])
def test_read_record__file_is_a_link(tmp_path: Path, case: Case, dangling: bool) -> None:
    root = tmp_path / "root"
    write_case(root, case, GOOD)
    (root / case.file).rename(tmp_path / ("gone" if dangling else "real"))
    link(root, case.file, tmp_path / "real")
    assert "is a symbolic link" in fail(root, case)


@every_case
def test_read_record__file_is_a_folder(tmp_path: Path, case: Case) -> None:
    write(tmp_path, {**case.neighbours(), f"{case.file}/x": GOOD})
    assert "is a folder" in fail(tmp_path, case)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.layer != "document"], ids=lambda case: case.path
)
def test_read_record__file_is_a_pipe(tmp_path: Path, case: Case) -> None:
    write_case(tmp_path, case, GOOD)
    (tmp_path / case.file).unlink()
    os.mkfifo(tmp_path / case.file)
    assert "not a regular file" in fail(tmp_path, case)


@every_case
@pytest.mark.parametrize("call", ["open", "lstat"])
def test_read_record__file_is_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case, call: str
) -> None:
    write_case(tmp_path, case, GOOD)
    original = getattr(os, call)

    def refuse(path: str, *args: object) -> object:
        if path.endswith(case.file):
            raise PermissionError(13, "Permission denied")
        return original(path, *args)

    monkeypatch.setattr(os, call, refuse)
    message = fail(tmp_path, case)
    assert "cannot be read (Permission denied)" in message
    assert "missing" not in message


@every_folder
@pytest.mark.parametrize("target", ["folder", "file", "nothing"])
def test_read_record__folder_is_a_link(tmp_path: Path, case: Case, target: str) -> None:
    root = tmp_path / "root"
    write(root, case.neighbours())
    write(tmp_path, {f"folder/{Path(case.file).name}": GOOD, "folder/CHANNEL.md": "old", "file": GOOD})
    link(root, case.path, tmp_path / target)
    assert "is a symbolic link" in fail(root, case)


@pytest.mark.parametrize("name", ["Bad", "a_b", "a.b", "con", "_meta", "a" * 65, ".git", "a b", "\n"])
@pytest.mark.parametrize("case", [case for case in CASES if case.layer != "team"], ids=lambda case: case.path)
def test_read_record__bad_name(tmp_path: Path, case: Case, name: str) -> None:
    parent, _, last = case.path.rpartition("/")
    path = f"{parent}/{last.replace('n', name, 1)}"
    write(tmp_path, {**case.neighbours(), case.file.replace(case.path, path): "nothing"})
    shown = name.replace("\n", "\\n")
    message = fail(tmp_path, Case(case.layer, "", path.replace("\n", "\\n"), ""))
    subject = "Document file" if case.layer == "document" else f"{case.layer.capitalize()} folder"
    assert message.startswith(f"{subject} name '{shown}' ")
    assert "dot-joined" in message


REFUSED = {
    "mailbox": ["system"],
    "worker": ["persona", "seatSkills", "seatTools", "teamInstructions"],
    "team": ["id", "flow", "instructions", "teamInstructions"],
    "document": [],
}


@pytest.mark.parametrize("value", ["x", "", "false", "[1]"])
@pytest.mark.parametrize(
    ("case", "key"),
    [pytest.param(case, key, id=f"{case.path}-{key}") for case in CASES for key in REFUSED[case.layer]],
)
def test_read_record__refused_key(tmp_path: Path, case: Case, key: str, value: str) -> None:
    write_case(tmp_path, case, f"---\n{key}: {value}\ndescription: x\n---\n")
    assert f"'{key}' may not be declared here" in fail(tmp_path, case, "refused-declaration")


@pytest.mark.parametrize(
    ("case", "key"),
    [
        pytest.param(case, key, id=f"{case.path}-{key}")
        for case in CASES
        for key in sorted({key for keys in REFUSED.values() for key in keys} - set(REFUSED[case.layer]))
    ],
)
def test_read_record__key_that_only_another_kind_refuses(tmp_path: Path, case: Case, key: str) -> None:
    write_case(tmp_path, case, f"---\n{key}: x\ndescription: x\n---\n")
    assert read_tree(tmp_path).problems == ()


@pytest.mark.parametrize("case", [case for case in CASES if REFUSED[case.layer]], ids=lambda case: case.path)
def test_read_record__all_refused_keys_are_named(tmp_path: Path, case: Case) -> None:
    keys = REFUSED[case.layer]
    write_case(tmp_path, case, "---\ndescription: x\n" + "".join(f"{key}: 1\n" for key in keys) + "---\n")
    message = fail(tmp_path, case, "refused-declaration")
    assert all(f"'{key}' may not be declared here" in message for key in keys)


@pytest.mark.parametrize("case", [case for case in CASES if REFUSED[case.layer]], ids=lambda case: case.path)
def test_read_record__description_is_checked_before_refused_keys(tmp_path: Path, case: Case) -> None:
    write_case(tmp_path, case, f"---\n{REFUSED[case.layer][0]}: x\n---\n")
    assert "'description' is missing" in fail(tmp_path, case)


frontmatter = st.one_of(
    st.binary(max_size=300),
    st.text(st.characters(codec="utf-8"), max_size=200).map(
        lambda text: f"---\ndescription: x\nk: {text}\n---\nBody".encode()
    ),
    st.builds(
        lambda block, body: b"---\n" + block + b"\n---\n" + body,
        st.binary(max_size=100),
        st.binary(max_size=99),
    ),
)


@settings(deadline=None)
@given(frontmatter)
def test_read_tree__any_bytes_give_a_record_or_exactly_one_problem(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), {case.file: data for case in CASES})
        tree = read_tree(root)
    records = (*tree.workers, *tree.teams, *tree.documents, *tree.mailboxes)
    outcomes = [record.path for record in records] + [problem.path for problem in tree.problems]
    assert sorted(outcomes) == sorted(case.path for case in CASES)
    assert all(problem.message.isprintable() for problem in tree.problems)
    for record in records:
        assert data.decode().endswith(record.body) or "\r" in data.decode()


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_read_tree__any_bytes_below_the_fence_come_back(body: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = "teams/a/mailboxes/m/MAILBOX.md"
        tree = read_tree(write(Path(folder), {file: b"---\ndescription: x\n---\n" + body}))
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        assert [problem.kind for problem in tree.problems] == ["mailbox-load-failed"]
    else:
        assert [record.body for record in tree.mailboxes] == [text.replace("\r\n", "\n")]
