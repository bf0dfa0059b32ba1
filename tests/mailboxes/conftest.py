from __future__ import annotations

from tests.mailboxes.routes import routed, script

__all__ = ["routed", "script"]
