"""What the app registers when the process starts."""

from __future__ import annotations

from django.apps import AppConfig


class WorkforceConfig(AppConfig):
    name = "workforce"

    def ready(self) -> None:
        # Tasks must be imported wherever one is sent, or an eager call would look for a broker.
        from workforce import tasks  # noqa: F401
        from workforce.toolsets import register_tool_name
        from workforce.workers.registering import register_worker_kinds

        register_worker_kinds()
        for name in ("read-document", "list-documents", "discover"):
            register_tool_name(name)
