"""The Celery application: ``celery -A workforce_site worker``, or the worker inside ``manage.py serve``."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workforce_site.settings")

app = Celery("workforce")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
