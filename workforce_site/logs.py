"""Structured logs on standard error. They carry the request's id, never a body or a key."""

from __future__ import annotations

from typing import Any

import structlog

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]


def logging_settings(*, level: str, pretty: bool) -> dict[str, Any]:
    """Django's LOGGING: JSON lines, or readable ones on a development machine."""
    renderer: Any = (
        structlog.dev.ConsoleRenderer(colors=False) if pretty else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
                "foreign_pre_chain": SHARED,
            },
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # The front door logs each call itself, with its id; Django's line a refusal would double it.
            "django.request": {"level": "ERROR"},
            # Any stranger can send one; the call's own line says what it was answered.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            "django.server": {"level": "WARNING"},
            "django.utils.autoreload": {"level": "WARNING"},
            "uvicorn.access": {"level": "WARNING"},
            "uvicorn.error": {"level": "WARNING" if level in {"DEBUG", "INFO"} else level},
            "celery": {"level": "WARNING"},
            "amqp": {"level": "WARNING"},
            "kombu": {"level": "ERROR"},
            # What is sent to a model, and with which key, is nobody's to read in a log.
            "openai": {"level": "WARNING"},
            "anthropic": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
            "httpcore2": {"level": "WARNING"},
        },
    }
