"""The settings. Everything that varies comes from the environment, through workforce_site/env.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse_lazy

from workforce_site import adminsite, logs
from workforce_site.env import (
    env_bool,
    env_broker,
    env_choice,
    env_database,
    env_email,
    env_int,
    env_list,
    env_slug,
    env_text,
    env_username,
)

BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = env_bool("DEBUG", default=False)
SECRET_KEY = env_text("SECRET_KEY", "only-for-development" if DEBUG else "")
if not SECRET_KEY:
    raise ImproperlyConfigured(
        "SECRET_KEY is not set: set it (or SECRET_KEY_FILE), or DEBUG=1 on a development machine"
    )

LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", LOOPBACK)
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", [])

# --- who is calling, and what the service does -------------------------------------------------
WORKFORCE_AUTH = env_choice("WORKFORCE_AUTH", "open" if DEBUG else "keys", ("open", "keys"))
WORKFORCE_TREE = env_text("WORKFORCE_TREE", str(BASE_DIR / "workforce" / "sample"))
DEFAULT_ORGANIZATION = env_slug("DEFAULT_ORGANIZATION", "default")
DEFAULT_USER = env_username("DEFAULT_USER", "local")
HISTORY_WINDOW = env_int("HISTORY_WINDOW", 50, minimum=1, maximum=10_000)
DISPATCH = env_choice("DISPATCH", "enabled", ("enabled", "disabled"))
WRITE_RATE = env_text("WRITE_RATE", "" if DEBUG else "6000/min")
METRICS_TOKEN = env_text("METRICS_TOKEN")
MAILBOX_KINDS: dict[str, str] = {}
WORKER_KINDS: dict[str, str] = {}
#: The Python callables that workers of the kind ``handler`` may name, and no others.
TASK_HANDLERS: dict[str, str] = {}
#: Called with the delivery for each member of a mailbox that has no seat to hear it; docs/routing.md.
MAILBOX_WAKE_FALLBACK = ""
#: Who finds the member that a post of a routed mailbox is for: offline, model, or a dotted path.
ROUTE_EVALUATOR = env_text("ROUTE_EVALUATOR", "offline") or "offline"
ROUTE_MODEL = env_text("ROUTE_MODEL")
MAX_BODY_BYTES = 1024 * 1024
#: The durable inbox: bytes of a payload, seconds in which an equal send is folded, seconds a request may stay open.
INBOX_MAX_PAYLOAD = env_int("INBOX_MAX_PAYLOAD", 256 * 1024, minimum=1, maximum=MAX_BODY_BYTES - 64 * 1024)
INBOX_DUPLICATE_WINDOW = env_int("INBOX_DUPLICATE_WINDOW", 600, minimum=0, maximum=86_400)
INBOX_SERVICE_TARGET = env_int("INBOX_SERVICE_TARGET", 86_400, minimum=1, maximum=366 * 86_400)
#: Days after which inboxes let go of contents, and of who did what; 0 keeps them (docs/inbox.md, "Retention").
RETAIN_WORKFLOW_DAYS = env_int("RETAIN_WORKFLOW_DAYS", 0, minimum=0, maximum=36_500)
RETAIN_GOVERNANCE_DAYS = env_int("RETAIN_GOVERNANCE_DAYS", 0, minimum=0, maximum=36_500)

# --- digests (docs/digests.md) -----------------------------------------------------------------
#: Where this server is reached, for the links in digests.
PUBLIC_URL = env_text("PUBLIC_URL")
#: Without one, no digest leaves by e-mail.
EMAIL_URL = env_text("EMAIL_URL", "consolemail://" if DEBUG else "")
if EMAIL_URL:
    globals().update(env_email(EMAIL_URL))
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env_text("DEFAULT_FROM_EMAIL", "workforce@localhost")
TELEGRAM_API_URL = env_text("TELEGRAM_API_URL", "https://api.telegram.org")
TELEGRAM_BOT_TOKEN = env_text("TELEGRAM_BOT_TOKEN")

# --- Django ------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "workforce",
    "boards",
    "messaging",
    "mailboxes",
    "workforce_site",
]

MIDDLEWARE = [
    "workforce_site.middleware.RequestIdMiddleware",
    "workforce_site.middleware.ApiMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "workforce_site.urls"
ASGI_APPLICATION = "workforce_site.asgi.application"
WSGI_APPLICATION = "workforce_site.wsgi.application"
APPEND_SLASH = (
    False  # both spellings are answered (workforce_site/middleware.py); a redirect would lose a POST
)

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

SQLITE_SYNCHRONOUS = env_choice("SQLITE_SYNCHRONOUS", "FULL", ("FULL", "NORMAL"))
DATABASES = {"default": env_database(BASE_DIR / "workforce.sqlite3", synchronous=SQLITE_SYNCHRONOUS)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "workforce.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = reverse_lazy("admin:login")
LOGIN_REDIRECT_URL = reverse_lazy("admin:index")
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env_bool("SECURE_COOKIES", default=False)
SECURE_CONTENT_TYPE_NOSNIFF = True

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

STATIC_URL = "static/"
# No build step and no collectstatic: files are served from where the packages have them.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

DATA_UPLOAD_MAX_MEMORY_SIZE = (
    8 * MAX_BODY_BYTES
)  # the API's own limit is MAX_BODY_BYTES; this one serves the admin

# --- REST --------------------------------------------------------------------------------------
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": ["workforce.api.callers.DenyAll"],
    "DEFAULT_PARSER_CLASSES": ["workforce.api.parsing.StrictJsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["workforce.api.rendering.CompactJsonRenderer"],
    "DEFAULT_SCHEMA_CLASS": "workforce.api.schema.DeclaredSchema",
    "EXCEPTION_HANDLER": "workforce.api.problems.exception_handler",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Workforce",
    "DESCRIPTION": "Mailboxes, boards, messages and a durable inbox for a workforce of AI agents.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api",
    "POSTPROCESSING_HOOKS": ["workforce.api.schema.complete_document"],
}

# --- dispatch ---------------------------------------------------------------------------------
#: Seconds that a run may stay silent before another worker takes its request; it is renewed four times in that.
DISPATCH_LEASE_SECONDS = env_int("DISPATCH_LEASE_SECONDS", 60, minimum=1, maximum=3600)
#: Seconds between two looks for what a nudge did not reach.
DISPATCH_SWEEP_SECONDS = env_int("DISPATCH_SWEEP_SECONDS", 15, minimum=1, maximum=3600)
#: How many requests the worker inside ``manage.py serve`` runs at the same time.
WORKER_THREADS = env_int("WORKER_THREADS", 8, minimum=1, maximum=64)

# --- turns ------------------------------------------------------------------------------------
#: The model of every worker that names none: see docs/turns.md. A first run answers from its own documents.
WORKFORCE_MODEL = env_text("WORKFORCE_MODEL", "offline:extract" if DEBUG else "")
WORKFORCE_MODEL_BASE_URL = env_text("WORKFORCE_MODEL_BASE_URL")
WORKFORCE_MODEL_API_KEY = env_text("WORKFORCE_MODEL_API_KEY")
#: The caps of one turn.
TURN_MODEL_CALLS = env_int("TURN_MODEL_CALLS", 16, minimum=1, maximum=1000)
TURN_TOOL_CALLS = env_int("TURN_TOOL_CALLS", 32, minimum=0, maximum=10_000)
TURN_SECONDS = env_int("TURN_SECONDS", 300, minimum=1, maximum=3600)

# --- worker messages ------------------------------------------------------------------------------
WORKER_MESSAGES = {
    # Messages of one chain, and of one turn.
    "hop_limit": env_int("WORKER_MESSAGES_HOP_LIMIT", 6, minimum=1, maximum=1_000_000_000),
    "per_turn": env_int("WORKER_MESSAGES_PER_TURN", 3, minimum=1, maximum=1_000_000_000),
}

# --- delegation -----------------------------------------------------------------------------------
#: How long a coordinator's round waits for its delegates before it goes on with the answers that are there.
DELEGATION_ROUND_SECONDS = env_int("DELEGATION_ROUND_SECONDS", 300, minimum=1, maximum=86_400)
#: How many tasks there may be under one top task of a conversation's board, at any depth, finished ones included.
TASK_CHAIN_LIMIT = env_int("TASK_CHAIN_LIMIT", 100, minimum=1, maximum=100_000)

# --- Celery ------------------------------------------------------------------------------------
CELERY_BROKER_URL = env_broker("CELERY_BROKER_URL", "memory://")
#: A queue of our own: a broker may serve other applications too.
CELERY_TASK_DEFAULT_QUEUE = env_text("CELERY_QUEUE", "workforce")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A nudge that cannot be sent must not hold up the caller: the sweep finds the row.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {"polling_interval": 0.02}
    if CELERY_BROKER_URL.startswith("memory")
    # RabbitMQ's client tries for four seconds unless it is told otherwise.
    else {"socket_connect_timeout": 1, "socket_timeout": 5, "max_retries": 1, "interval_start": 0}
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULE: dict[str, Any] = {
    "sweep": {"task": "workforce.sweep", "schedule": DISPATCH_SWEEP_SECONDS}
}

# --- logs --------------------------------------------------------------------------------------
LOG_LEVEL = env_choice("LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING = logs.logging_settings(level=LOG_LEVEL, pretty=DEBUG)

# --- admin -------------------------------------------------------------------------------------
UNFOLD: dict[str, Any] = {**adminsite.UNFOLD}
