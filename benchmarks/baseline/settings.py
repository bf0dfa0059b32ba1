"""The service's settings with a bare Django around the baseline's view: no middleware, DRF's own defaults."""

from workforce_site.settings import *  # noqa: F403
from workforce_site.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "benchmarks.baseline"]
MIDDLEWARE: list[str] = []
ROOT_URLCONF = "benchmarks.baseline.urls"
REST_FRAMEWORK = {"DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]}
SILENCED_SYSTEM_CHECKS = ["admin.E408", "admin.E409", "admin.E410"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
