"""A load's report for people. See docs/tree.md, "Loading"."""

from __future__ import annotations

from mailboxes.services.reporting import LoadReport
from workforce.names import printable
from workforce.refusals import listed, refusal_lines


def report_text(report: LoadReport, root: str, *, check: bool) -> str:
    """The problems one a line; then the refusals, or what the load did; then the warnings, one a line."""
    lines = [
        f"{problem.layer} {problem.kind} {problem.path}: {problem.message}" for problem in report.problems
    ]
    if report.refusals:
        lines.append(refusal_lines(report.refusals, report.records))
    elif not report.stopped:
        lines += _checked(report, root) if check else _done(report, root)
    lines += [f"warning: {warning}" for warning in report.warnings]
    return "\n".join(lines)


def _checked(report: LoadReport, root: str) -> list[str]:
    return [f"{_counted(report.records, 'record')} in {printable(root)} can be loaded."]


def _done(report: LoadReport, root: str) -> list[str]:
    lines = [
        f"{verb} {len(names)}: {listed(names)}"
        for verb, names in (
            ("opened", report.opened),
            ("hired", report.hired),
            ("changed", report.changed),
            ("retired", report.retired),
            ("undeclared (not in the tree, still open)", report.undeclared),
        )
        if names
    ]
    if report.unchanged:
        lines.append(f"left alone: {_counted(len(report.unchanged), 'open mailbox', 'open mailboxes')}")
    if not report.changed_anything:
        lines.append("Nothing changed: the organization is as the tree says.")
    return [f"{_counted(report.records, 'record')} in {printable(root)}", *lines]


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"
