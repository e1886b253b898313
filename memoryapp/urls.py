"""All addresses."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from memoryapp.api import health, metrics

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("memoryapp.api.urls")),
    path("livez", health.LiveView.as_view(schema=None)),
    path("readyz", health.ReadyView.as_view(schema=None)),
    path("metrics", metrics.metrics),
    path("", include("memoryapp.web.urls")),
]
