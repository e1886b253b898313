"""WSGI entry point for gunicorn. jieba is loaded before the first request; what no answer waits for is done in a thread."""

from __future__ import annotations

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from memoryapp.chunked_bodies import ChunkedBodies
from memoryapp.domain.classifier import warm as warm_classifiers
from memoryapp.retrieval import lexical

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
django_application = get_wsgi_application()
application = ChunkedBodies(django_application, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
lexical.warm()
warm_classifiers()
# Services import models, which exist once the application is made.
import_module("memoryapp.services.afterwards").start()
