"""Typed readers of the environment. A bad value stops the start and names the variable."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured
from kombu.transport import TRANSPORT_ALIASES

from workforce.names import is_name
from workforce.nearest import nearest

_ENV = environ.FileAwareEnv()  # <NAME>_FILE names a file that holds the value
#: What a broker's scheme needs beside Celery.
_REDIS = ("redis", "packaging")
_BROKER_PACKAGES = {"redis": _REDIS, "rediss": _REDIS, "sentinel": _REDIS}
MAX_USERNAME_LENGTH = 150


def _read(name: str, cast: type[Any], default: Any) -> Any:
    try:
        return _ENV.get_value(name, cast=cast, default=default)
    except ImproperlyConfigured:
        raise
    except Exception as error:
        raise ImproperlyConfigured(f"{name}: cannot be read as {cast.__name__}: {error}") from error


def env_text(name: str, default: str = "") -> str:
    """The variable as text, without surrounding blanks; ``default`` when it is unset."""
    return str(_read(name, str, default)).strip()


def env_bool(name: str, *, default: bool) -> bool:
    """The variable as true or false. Anything but 1/0, true/false, yes/no, on/off is refused."""
    value = env_text(name).lower()
    if value == "":
        return default
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name}: {value!r} is neither true nor false; write 1 or 0")


def env_int(name: str, default: int, *, minimum: int, maximum: int) -> int:
    """The variable as a whole number within the bounds."""
    text = env_text(name)
    if text == "":
        return default
    try:
        value = int(text)
    except ValueError:
        raise ImproperlyConfigured(f"{name}: {text!r} is not a whole number") from None
    if not minimum <= value <= maximum:
        raise ImproperlyConfigured(f"{name}: {value} is outside {minimum} to {maximum}")
    return value


def env_choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    """The variable as one of the choices."""
    value = env_text(name, default) or default
    if value not in choices:
        raise ImproperlyConfigured(f"{name}: {value!r} is not one of {', '.join(choices)}")
    return value


def env_list(name: str, default: list[str]) -> list[str]:
    """The variable as a comma-separated list without blanks."""
    text = env_text(name)
    return [part.strip() for part in text.split(",") if part.strip()] if text else default


def env_slug(name: str, default: str) -> str:
    """The variable as an organization's slug."""
    value = env_text(name, default)
    if not is_name(value):
        raise ImproperlyConfigured(
            f"{name}: {value[:100]!r} is no slug; use lowercase letters, digits and single hyphens between them"
        )
    return value


def env_username(name: str, default: str) -> str:
    """The variable as the name of a user."""
    value = env_text(name, default)
    if not value or len(value) > MAX_USERNAME_LENGTH or not value.isprintable():
        raise ImproperlyConfigured(
            f"{name}: must be 1 to {MAX_USERNAME_LENGTH} printable characters, not blank; it has {len(value)}"
        )
    return value


def env_broker(name: str, default: str) -> str:
    """The variable as the URL of a broker whose transport is known and installed. Its words show no password."""
    url = env_text(name, default) or default
    for part in url.split(";"):
        scheme, colon, _ = part.partition("://")
        transport = scheme.partition("+")[0]
        if not colon or transport not in TRANSPORT_ALIASES:
            near = nearest(transport, TRANSPORT_ALIASES) if colon else None
            mend = f"did you mean '{near}://'?" if near else "use memory://, redis://… or amqp://…"
            raise ImproperlyConfigured(
                f"{name}: '{scheme[:20] if colon else ''}://' is no broker's scheme; {mend}"
            )
        missing = [package for package in _BROKER_PACKAGES.get(transport, ()) if not find_spec(package)]
        if missing:
            raise ImproperlyConfigured(
                f"{name}: {transport}:// needs {' and '.join(missing)}; run 'pip install {' '.join(missing)}'"
            )
    return url


def env_database(default: Path, *, synchronous: str) -> dict[str, Any]:
    """``DATABASE_URL`` as Django's database settings: SQLite beside manage.py, or PostgreSQL."""
    return database(env_text("DATABASE_URL") or f"sqlite:///{default}", synchronous=synchronous)


def env_email(url: str) -> dict[str, Any]:
    """``EMAIL_URL`` as Django's settings of its mail backend."""
    try:
        return dict(_ENV.email_url_config(url))
    except Exception:  # its words would repeat the password
        raise ImproperlyConfigured(
            "EMAIL_URL: cannot be read; write smtp+tls://user:password@host:587, or consolemail://"
        ) from None


def database(url: str, *, synchronous: str) -> dict[str, Any]:
    """Django's database settings for a URL of the two kinds that are supported."""
    try:
        settings: dict[str, Any] = dict(_ENV.db_url_config(url))
    except Exception as error:
        raise ImproperlyConfigured(f"DATABASE_URL: cannot be read: {error}") from error
    engine = settings.get("ENGINE", "")
    if engine == "django.db.backends.sqlite3":
        _check_folder(settings["NAME"])
        return {**settings, "OPTIONS": _sqlite_options(synchronous), "CONN_MAX_AGE": None}
    if engine == "django.db.backends.postgresql":
        if not find_spec("psycopg"):
            raise ImproperlyConfigured(
                "DATABASE_URL: postgres:// needs psycopg; run 'pip install \"psycopg[binary,pool]\"'"
            )
        return {**settings, "CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True}
    raise ImproperlyConfigured("DATABASE_URL: use sqlite:///path or postgres://user:password@host:port/name")


def _check_folder(file: str) -> None:
    """SQLite makes the file, and not the folder it is in."""
    folder = Path(file).parent
    if file != ":memory:" and not folder.is_dir():
        raise ImproperlyConfigured(f"DATABASE_URL: there is no folder '{folder}' for the database; make it")


def _sqlite_options(synchronous: str) -> dict[str, Any]:
    return {
        # Writers queue for the lock instead of failing when a read turns into a write.
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; PRAGMA foreign_keys=ON;",
    }
