"""The site: settings, urls, server and Celery application."""

from workforce_site.celery import app as celery_app

__all__ = ["celery_app"]
