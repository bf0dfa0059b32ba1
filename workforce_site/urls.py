"""Every path of the service."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest, HttpResponseBase
from django.urls import include, path, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import RedirectView

from workforce.api.document import DocsView, SchemaView
from workforce.api.health import healthz, readyz
from workforce.api.metrics import metrics
from workforce.api.problems import body_of, problem_answer
from workforce.errors import NotFound


@csrf_exempt
def no_such_path(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
    """Any path of the API that is none: the same shape as every refusal."""
    return problem_answer(body_of(NotFound("there is no such path; see /api/docs")))


urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("api/schema", SchemaView.as_view(), name="schema"),
    path("api/docs", DocsView.as_view(), name="docs"),
    path("api/boards", include("boards.api.urls")),
    path("api/inboxes", include("messaging.inbox.api.urls")),
    path("api/", include("messaging.inbox.api.identity")),
    path("api/", include("messaging.api.urls")),
    path("api/", include("workforce.api.urls")),
    re_path(r"^api(/.*)?$", no_such_path),
]
