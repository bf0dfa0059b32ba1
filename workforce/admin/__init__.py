"""The operators' admin of the base app. See docs/admin.md."""

from django.contrib import admin

from workforce.admin import (
    actors,
    documents,
    inventory,
    keys,
    organizations,
    requests,
    seats,
    sessions,
    users,
)

__all__ = [
    "actors",
    "documents",
    "inventory",
    "keys",
    "organizations",
    "requests",
    "seats",
    "sessions",
    "users",
]

# Under a name of its own: the theme's templates are found before ours.
admin.site.index_template = "admin/workforce/index.html"
admin.site.index_title = "Overview"
