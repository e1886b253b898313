"""WSGI entry point for gunicorn. jieba is loaded before the first request."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from memoryapp.retrieval import lexical

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
application = get_wsgi_application()
lexical.warm()
