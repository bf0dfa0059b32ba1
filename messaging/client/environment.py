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
    _check_url(url)
    key = _value(environment, "WORKFORCE_KEY")
    if not is_word(key):
        raise Misused("WORKFORCE_KEY is no key: it holds blanks, or letters that no key has")
    passname = environment.get("WORKFORCE_PASSNAME", "").strip()
    if not is_word(passname):
        raise Misused("WORKFORCE_PASSNAME is no passname: lowercase letters, digits and single hyphens")
    return Place(url=url, inbox=_value(environment, "WORKFORCE_INBOX"), key=key, passname=passname)


def is_word(text: str) -> bool:
    """Whether a header can carry the text as it is: printable ASCII without blanks."""
    return text.isascii() and text.isprintable() and " " not in text


def _check_url(url: str) -> None:
    """Raise Misused for what no connection can be made with, before anybody is called."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")
    except ValueError:
        raise Misused("WORKFORCE_URL is no address: its host cannot be read") from None
    if parts.scheme not in ("http", "https") or not host:
        raise Misused("WORKFORCE_URL must begin with http:// or https:// and name a host")
    if parts.username or parts.query or parts.fragment:
        raise Misused("WORKFORCE_URL must be a base address, without a user, a query or a fragment")
    if not is_word(host.decode()) or not is_word(parts.path):
        raise Misused("WORKFORCE_URL holds blanks, or letters that must be written as %XX")


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
