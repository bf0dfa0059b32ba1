"""What the front door keeps out of logs and metrics."""

from __future__ import annotations

from workforce_site.middleware import _METHODS, _without_keys


def test_path__in_a_log_holds_no_key() -> None:
    key = "wfk_0123456789ab_" + "s" * 43
    assert _without_keys(f"/api/sessions/{key}/items") == "/api/sessions/wfk_…/items"
    assert key not in _without_keys("/" + "x" * 290 + key)


def test_methods__that_are_measured_are_a_closed_set() -> None:
    assert {"GET", "POST", "PATCH", "DELETE"} <= _METHODS and len(_METHODS) < 10
