"""All addresses."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from memoryapp.api import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("memoryapp.api.urls")),
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("", include("memoryapp.web.urls")),
]
