"""YAML on the 1.2 core schema, and nothing that cannot be stored as strict JSON. See docs/tree.md.

The scanner, parser and composer are libyaml's. Typing is ours: PyYAML types by YAML 1.1, where ``no`` is
a boolean and ``2024-01-01`` a date, and its constructor lets a repeated key win silently.
"""

from __future__ import annotations

import math
import re
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode
from yaml.reader import ReaderError

from workforce.tree.problems import LoadFailure

MAX_DEPTH = 100
MAX_DIGITS = 100

_TOO_DEEP = f"it is nested too deeply; at most {MAX_DEPTH} levels are read"
_PLAIN, _OTHER = "plain", "other"
_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_START = frozenset("+-.0123456789")
_INTEGER = re.compile(r"(?P<decimal>[-+]?[0-9]+)|0o(?P<octal>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)")
_BASES = {"decimal": 10, "octal": 8, "hex": 16}
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

# An anchor, an alias or a tag starts a token, so no letter stands directly before its sign.
_MAYBE_ALIAS_OR_TAG = re.compile(r"(?<!\w)[&*!]")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STARTS_NO_VALUE = {
    "@": "put quotes around a value that starts with '@': \"@name\"",
    "`": "put quotes around a value that starts with a backtick",
    "%": "put quotes around a value that starts with '%'",
    "\t": "indent with spaces, not with tabs",
}


class _Fault(Exception):
    """Something at one place of the text, before the place is known as a line and a column."""

    def __init__(self, index: int, words: str) -> None:
        super().__init__(words)
        self.index = index


class _CoreLoader(yaml.CSafeLoader):
    """Composes nodes that say only whether a scalar was plain; `_value` does the typing."""

    def resolve(self, kind: type[Node], value: str | None, implicit: Any) -> str:
        return _PLAIN if kind is ScalarNode and implicit[0] else _OTHER


def load_mapping(text: str, *, what: str, first_line: int = 1) -> dict[str, Any]:
    """The mapping that ``text`` holds, exactly as written.

    ``what`` names the text in messages (``"the frontmatter"``); ``first_line`` is the line of its file on
    which it starts. Raises LoadFailure, with line and column, for every YAML error and for: anything but
    one mapping, a repeated key, a key that is no text, an anchor, an alias, a tag, a number that is not
    finite or has over 100 digits, a NUL character, nesting over 100 levels.
    """
    try:
        return _load(text, what)
    except _Fault as fault:
        index, words = fault.index, str(fault)
    except yaml.MarkedYAMLError as error:
        index, words = _explain(error, text, first_line)
    except ReaderError as error:
        found = _FORBIDDEN.search(text)
        index = found.start() if found else 0
        words = f"the character U+{int(error.character):04X} is not allowed here; remove it"
    except RecursionError:
        index, words = 0, _TOO_DEEP
    except ValueError as error:
        index, words = 0, f"it cannot be read ({error})"
    raise LoadFailure(f"{what} cannot be read: line {place(text, index, first_line)}: {words}")


def place(text: str, index: int, first_line: int = 1) -> str:
    """``"3, column 5"`` for the character at ``index`` (both counted from 1, lines as editors count them)."""
    line = first_line + text.count("\n", 0, index)
    return f"{line}, column {index - text.rfind(chr(10), 0, index)}"


def _load(text: str, what: str) -> dict[str, Any]:
    if _MAYBE_ALIAS_OR_TAG.search(text):
        _check_events(text)
    loader = _CoreLoader(text)
    try:
        node = loader.get_single_node()
    finally:
        loader.dispose()
    if node is None:
        raise LoadFailure(f"{what} is empty; write 'key: value' lines")
    if not isinstance(node, MappingNode):
        raise _fault_at(node, "it must be a mapping: 'key: value' lines")
    value: dict[str, Any] = _value(node, 1)
    return value


def _check_events(text: str) -> None:
    """Raise for anchors, aliases and tags, which composed nodes no longer show."""
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        index = event.start_mark.index if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent):
            raise _Fault(index, "aliases are not read; put quotes around a text that starts with '*'")
        if getattr(event, "anchor", None) is not None:
            raise _Fault(index, "anchors are not read; put quotes around a text that starts with '&'")
        if getattr(event, "tag", None) is not None:
            raise _Fault(index, "tags are not read; put quotes around a text that starts with '!'")


def _value(node: Node, depth: int) -> Any:
    if isinstance(node, ScalarNode):
        return _scalar(node)
    if depth > MAX_DEPTH:
        raise _fault_at(node, _TOO_DEEP)
    if not isinstance(node, MappingNode):
        return [_value(child, depth + 1) for child in node.value]
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = _scalar(key_node) if isinstance(key_node, ScalarNode) else None
        if type(key) is not str:
            raise _fault_at(key_node, "a key must be text; put quotes around it")
        if key in mapping:
            raise _fault_at(key_node, f"the key '{key[:100]}' is there twice; keep one of the two")
        mapping[key] = _value(value_node, depth + 1)
    return mapping


def _scalar(node: ScalarNode) -> Any:
    text: str = node.value
    if node.tag is not _PLAIN:
        if "\0" in text:
            raise _fault_at(node, "a NUL character cannot be stored; remove it")
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] in _NUMBER_START:
        return _number(node, text)
    return text


def _number(node: ScalarNode, text: str) -> Any:
    integer = _INTEGER.fullmatch(text)
    if integer is not None and integer.lastgroup is not None:
        digits = integer[integer.lastgroup]
        if len(digits.lstrip("+-")) > MAX_DIGITS:
            raise _fault_at(node, f"a number has at most {MAX_DIGITS} digits; put quotes around it")
        return int(digits, _BASES[integer.lastgroup])
    if _FLOAT.fullmatch(text):
        number = float(text)
        if math.isfinite(number):
            return number
    elif not _NOT_FINITE.fullmatch(text):
        return text
    raise _fault_at(node, f"{text[:40]} is not a finite number; put quotes around a text")


def _fault_at(node: Node, words: str) -> _Fault:
    return _Fault(node.start_mark.index if node.start_mark else 0, words)


def _explain(error: yaml.MarkedYAMLError, text: str, first_line: int) -> tuple[int, str]:
    """Where a YAML error stands, and in which words."""
    mark = error.problem_mark or error.context_mark
    index = mark.index if mark else 0
    words = error.problem or "this is not YAML"
    if error.context and error.context_mark and error.context_mark.index != index:
        words += f" ({error.context} from line {place(text, error.context_mark.index, first_line)})"
    if words.startswith("found character that cannot start any token"):
        words = f"no value starts with {text[index : index + 1]!r}"
        mend = _STARTS_NO_VALUE.get(text[index : index + 1], "put quotes around the value")
    elif words.startswith("mapping values are not allowed"):
        mend = "put quotes around a value that holds ': '"
    else:
        mend = "mend the YAML there, for example with quotes around the value"
    return index, f"{words}; {mend}"
