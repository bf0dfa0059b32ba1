"""From the command line to an exit code."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from messaging.client.arguments import build_parser
from messaging.client.environment import Misused, read_place
from messaging.client.printing import plain
from messaging.client.wire import Refused, Unreachable, Wire

DONE, REFUSED, USAGE, UNREACHABLE = 0, 1, 2, 3
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Argument errors leave by SystemExit with 2, as argparse does."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    words = sys.argv[1:] if arguments is None else arguments
    has_file = any(word.partition("=")[0] == "--file" for word in words)
    asked = build_parser(with_text=not has_file).parse_args(words)
    try:
        answer = asked.run(Wire(read_place(os.environ), asked.patience), asked)
        lines = [json.dumps(answer, ensure_ascii=False)] if asked.json else asked.show(answer)
        sys.stdout.writelines(f"{line}\n" for line in lines)
        sys.stdout.flush()
        return DONE
    except Misused as error:
        return _complain(asked.json, USAGE, {"code": "usage", "detail": str(error)})
    except Refused as refusal:
        return _complain(asked.json, REFUSED, refusal.problem)
    except Unreachable as error:
        detail = f"{error}; the same command can be repeated safely"
        return _complain(asked.json, UNREACHABLE, {"code": "unreachable", "detail": detail})
    except BrokenPipeError:  # whoever read it has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED


def _complain(as_json: bool, code: int, problem: dict[str, Any]) -> int:
    """Say on standard error what went wrong: ``code: words``, or the problem as one line of JSON."""
    lines = [json.dumps(problem, ensure_ascii=False)] if as_json else _words(problem)
    sys.stderr.writelines(f"{line}\n" for line in lines)
    return code


def _words(problem: dict[str, Any]) -> Iterator[str]:
    yield plain(f"{problem['code']}: {problem.get('detail', '')}")
    for each in problem.get("items", ()):
        yield plain(f"  {each['id']}: {each['error']['code'] if 'error' in each else each['state']}")
