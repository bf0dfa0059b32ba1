"""The WSGI application: everything but streams and waits (for gunicorn beside the ASGI server)."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workforce_site.settings")
application = get_wsgi_application()
