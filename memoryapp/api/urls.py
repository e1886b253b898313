"""Addresses under /api/v1/. The last one answers for all that are none."""

from __future__ import annotations

from django.urls import path, re_path
from django.views.generic import TemplateView
from drf_spectacular.views import SpectacularJSONAPIView

from memoryapp.api import audit, events, health, me, memories, search
from memoryapp.api.views import NowhereView

MEMORY = "memories/<str:memory_id>"

urlpatterns = [
    path("memories", memories.MemoriesView.as_view()),
    path("memories/batch", memories.BatchView.as_view()),
    path("memories/search", search.SearchView.as_view()),
    path("context", search.ContextApiView.as_view()),
    path(MEMORY, memories.MemoryDetailView.as_view()),
    *(path(f"{MEMORY}/{verb}", memories.VerbView.as_view(verb=verb)) for verb in memories.VERBS),
    path(f"{MEMORY}/feedback", memories.FeedbackView.as_view()),
    path(f"{MEMORY}/history", memories.HistoryView.as_view()),
    path(f"{MEMORY}/evidence", memories.EvidenceView.as_view()),
    path("events", events.EventsView.as_view()),
    path("events/<str:event_id>", events.EventDetailView.as_view()),
    path("events/<str:event_id>/retry", events.RetryView.as_view()),
    path("me", me.MeView.as_view()),
    path("audit/events", audit.AuditEventsView.as_view()),
    path("audit/exports", audit.ExportsView.as_view()),
    path("audit/exports/<str:export_id>", audit.ExportDetailView.as_view()),
    path("livez", health.LiveView.as_view()),
    path("schema", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("docs", TemplateView.as_view(template_name="api/docs.html"), name="api-docs"),
    re_path(r"", NowhereView.as_view()),
]
