"""Every address: the API, health at the root, and the pages."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from memoryapp.api import health

handler400 = "memoryapp.api.problems.bad_request"
handler500 = "memoryapp.api.problems.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("memoryapp.api.urls")),
    path("livez", health.LiveView.as_view()),
    path("readyz", health.ReadyView.as_view()),
    path("metrics", health.MetricsView.as_view()),
    path("", include("memoryapp.web.urls")),
]
