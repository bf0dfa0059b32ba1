"""Who calls, and where: from the environment, never from an argument, which other users of a machine can read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit


class Misused(Exception):
    """The command was called wrongly; its words say how to mend it."""


@dataclass(frozen=True, slots=True)
class Place:
    """One inbox as one caller reaches it."""

    url: str
    inbox: str
    key: str = field(repr=False)
    #: Sent along when it is set, so that a key of somebody else is refused.
    passname: str = ""


def read_place(environment: Mapping[str, str]) -> Place:
    """The inbox that the environment names. Raises Misused."""
    url = _value(environment, "WORKFORCE_URL").rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Misused("WORKFORCE_URL must begin with http:// or https:// and name a host")
    if parts.username or parts.query or parts.fragment:
        raise Misused("WORKFORCE_URL must be a base address, without a user, a query or a fragment")
    key = _value(environment, "WORKFORCE_KEY")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise Misused("WORKFORCE_KEY is no key: it holds blanks, or letters that no key has")
    return Place(
        url=url,
        inbox=_value(environment, "WORKFORCE_INBOX"),
        key=key,
        passname=environment.get("WORKFORCE_PASSNAME", ""),
    )


def _value(environment: Mapping[str, str], name: str) -> str:
    """The variable, or the content of the file that ``<name>_FILE`` names."""
    value, path = environment.get(name, ""), environment.get(f"{name}_FILE", "")
    if value and path:
        raise Misused(f"both {name} and {name}_FILE are set; keep one")
    if path:
        try:
            value = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise Misused(f"{name}_FILE cannot be read: {type(error).__name__}") from None
    if not value.strip():
        raise Misused(f"set {name} in the environment, or {name}_FILE to a file that holds it")
    return value.strip()
