"""Settings of the test suite: SQLite in a file by default, PostgreSQL with TEST_DATABASE_URL."""

from __future__ import annotations

import os
import tempfile

os.environ.setdefault("DEBUG", "0")
os.environ.setdefault("SECRET_KEY", "only-for-tests")
os.environ.setdefault("WORKFORCE_AUTH", "keys")
os.environ.setdefault("LOG_LEVEL", "ERROR")
if os.environ.get("TEST_DATABASE_URL"):
    os.environ["DATABASE_URL"] = os.environ["TEST_DATABASE_URL"]

from workforce_site.settings import *  # noqa: E402, F403
from workforce_site.settings import DATABASES  # noqa: E402

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file: threads on an in-memory database fail at random. NORMAL: no test pulls the plug.
    DATABASES["default"]["TEST"] = {
        "NAME": os.path.join(tempfile.gettempdir(), f"workforce-test-{os.getuid()}.sqlite3")
    }
    DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON;"
    )

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
WHITENOISE_AUTOREFRESH = True
CELERY_TASK_ALWAYS_EAGER = False
WRITE_RATE = ""
MAILBOX_KINDS = {"announcements": "tests.kinds.Announcements"}
