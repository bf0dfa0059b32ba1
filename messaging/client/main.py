"""From the command line to an exit code."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from messaging.client.arguments import build_parser
from messaging.client.environment import Misused, read_place
from messaging.client.printing import plain
from messaging.client.wire import Refused, Unreachable, Wire

DONE, REFUSED, USAGE, UNREACHABLE = 0, 1, 2, 3
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Argument errors leave by SystemExit with 2, as argparse does."""
    _ready_streams()
    words = sys.argv[1:] if arguments is None else arguments
    has_file = any(word.partition("=")[0] == "--file" for word in words)
    asked = build_parser(with_text=not has_file).parse_args(words)
    try:
        answer = asked.run(Wire(read_place(os.environ), asked.patience), asked)
        lines = [json.dumps(answer, ensure_ascii=False)] if asked.json else _shown(asked.show, answer)
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
    except UnicodeEncodeError:  # half of a character, which Python makes of bytes that are no UTF-8
        detail = "an argument or a variable is not UTF-8"
        return _complain(asked.json, USAGE, {"code": "usage", "detail": detail})
    except BrokenPipeError:  # whoever read it has seen enough
        _drop_output()
        return DONE
    except OSError as error:  # the server did its part
        _drop_output()
        detail = f"the answer could not be written: {error.strerror}; the same command can be repeated safely"
        return _complain(asked.json, UNREACHABLE, {"code": "unwritable", "detail": detail})
    except KeyboardInterrupt:
        return INTERRUPTED


def _shown(show: Callable[[dict[str, Any]], Iterator[str]], answer: dict[str, Any]) -> list[str]:
    """The lines of the answer. What has values of other types is no answer of an inbox: Unreachable."""
    try:
        return list(show(answer))
    except (TypeError, AttributeError, ValueError, IndexError) as error:
        raise Unreachable(f"what answered is no inbox: {type(error).__name__} in its answer") from None


def _ready_streams() -> None:
    """Output is UTF-8 whatever the locale, and goes nowhere when it was closed before the start."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _drop_output() -> None:
    """Let nothing more be written there, also not what the end of the process would write."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(as_json: bool, code: int, problem: dict[str, Any]) -> int:
    """Say on standard error what went wrong: ``code: words``, or the problem as one line of JSON."""
    lines = [json.dumps(problem, ensure_ascii=False)] if as_json else _words(problem)
    sys.stderr.writelines(f"{line}\n" for line in lines)
    return code


def _words(problem: dict[str, Any]) -> Iterator[str]:
    yield plain(f"{problem['code']}: {problem.get('detail', '')}")
    for each in problem.get("items", ()):
        yield plain(f"  {each['id']}: {each['error']['code'] if 'error' in each else each['state']}")
