"""/api/v1"""

from __future__ import annotations

from django.urls import path, re_path
from django.views.generic import TemplateView
from drf_spectacular.views import SpectacularJSONAPIView

from memoryapp.api import erasure_views, health, views

urlpatterns = [
    path("memories", views.MemoriesView.as_view()),
    path("memories/search", views.SearchView.as_view()),
    path("memories/batch", views.BatchView.as_view()),
    path("memories/<str:item_id>", views.MemoryView.as_view()),
    path("memories/<str:item_id>/history", views.HistoryView.as_view()),
    path("memories/<str:item_id>/evidence", views.EvidenceView.as_view()),
    re_path(
        r"^memories/(?P<item_id>[^/]+)/(?P<verb>restore|confirm|reject|pause|resume|feedback)$",
        views.VerbView.as_view(),
    ),
    path("context", views.ContextView.as_view()),
    path("events", views.EventsView.as_view()),
    path("events/<str:event_id>", views.EventDetailView.as_view()),
    path("events/<str:event_id>/retry", views.RetryView.as_view()),
    path("erasures", erasure_views.ErasuresView.as_view()),
    path("erasures/<str:erasure_id>", erasure_views.ErasureDetailView.as_view()),
    path("erasures/<str:erasure_id>/retry", erasure_views.RetryView.as_view()),
    path("me", views.MeView.as_view()),
    path("audit/events", views.AuditEventsView.as_view()),
    path("schema", SpectacularJSONAPIView.as_view(authentication_classes=[], permission_classes=[]), name="api-schema"),
    path("docs", TemplateView.as_view(template_name="api/docs.html"), name="api-docs"),
    path("livez", health.livez),
]
