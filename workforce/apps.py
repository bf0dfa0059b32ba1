"""What the app registers when the process starts."""

from __future__ import annotations

from django.apps import AppConfig


class WorkforceConfig(AppConfig):
    name = "workforce"

    def ready(self) -> None:
        # Tasks must be imported wherever one is sent, or an eager call would look for a broker.
        from workforce import tasks  # noqa: F401
        from workforce.tools.discovering import offer_discovery
        from workforce.tools.documents import offer_documents
        from workforce.toolsets import register_tool_name, register_toolset
        from workforce.workers.registering import register_task_handlers, register_worker_kinds

        register_task_handlers()
        register_worker_kinds()
        for name in ("read-document", "list-documents", "discover"):
            register_tool_name(name)
        register_toolset("documents", offer_documents)
        register_toolset("discovery", offer_discovery)
