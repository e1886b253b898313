"""WSGI entry point of the measured server: the service as it is, with the minimal views and a given embedding."""

from __future__ import annotations

from django.conf import settings

from memoryapp.management.benchmarks.given_embedder import give
from memoryapp.management.benchmarks.wsgi_environment import add_minimal_databases
from memoryapp.wsgi import application

settings.ROOT_URLCONF = "memoryapp.management.benchmarks.urls"
add_minimal_databases()
give()

__all__ = ["application"]
