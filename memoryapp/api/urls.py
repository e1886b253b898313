"""/api/v1"""

from __future__ import annotations

from django.urls import path, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import TemplateView
from drf_spectacular.views import SpectacularJSONAPIView

from memoryapp.api import (
    audit,
    bulk,
    care_views,
    dictionary,
    erasure_views,
    export_views,
    health,
    import_views,
    inbox_views,
    people,
    session_views,
    views,
)
from memoryapp.api.problems import not_found

urlpatterns = [
    # What agents ask for all the time is found first.
    path("context", views.ContextView.as_view()),
    path("memories", views.MemoriesView.as_view()),
    path("memories/search", views.SearchView.as_view()),
    *inbox_views.urlpatterns,
    *import_views.urlpatterns,
    *export_views.urlpatterns,
    path("memories/batch", bulk.BatchView.as_view()),
    path("memories/forget", bulk.ForgetView.as_view()),
    path("memories/age", care_views.AgeView.as_view()),
    path("memories/consolidate", care_views.ConsolidateView.as_view()),
    path("memories/<str:item_id>", views.MemoryView.as_view()),
    path("memories/<str:item_id>/history", views.HistoryView.as_view()),
    path("memories/<str:item_id>/evidence", views.EvidenceView.as_view()),
    path("memories/<str:item_id>/uses", views.UsesView.as_view()),
    path("memories/<str:item_id>/feedback", views.FeedbackView.as_view()),
    re_path(
        r"^memories/(?P<item_id>[^/]+)/(?P<verb>restore|confirm|reject|pause|resume)$",
        views.VerbView.as_view(),
    ),
    path("events", views.EventsView.as_view()),
    path("events/<str:event_id>", views.EventDetailView.as_view()),
    path("events/<str:event_id>/retry", views.RetryView.as_view()),
    path("erasures", erasure_views.ErasuresView.as_view()),
    path("erasures/<str:erasure_id>", erasure_views.ErasureDetailView.as_view()),
    path("erasures/<str:erasure_id>/retry", erasure_views.RetryView.as_view()),
    path("users", people.UsersView.as_view()),
    path("sessions", people.SessionsView.as_view()),
    path("sessions/<path:session_id>", session_views.SessionView.as_view()),
    path("jobs/<str:job_id>", care_views.JobView.as_view()),
    path("timeline", care_views.TimelineView.as_view()),
    path("dictionary", dictionary.DictionaryView.as_view()),
    path("me", views.MeView.as_view()),
    path("audit/events", audit.AuditEventsView.as_view()),
    path("audit/exports", audit.ExportsView.as_view()),
    path("audit/exports/<str:export_id>", audit.ExportView.as_view()),
    path("audit/exports/<str:export_id>/file", audit.ExportFileView.as_view()),
    path("schema", SpectacularJSONAPIView.as_view(authentication_classes=[], permission_classes=[]), name="api-schema"),
    path("docs", csrf_exempt(TemplateView.as_view(template_name="api/docs.html")), name="api-docs"),
    path("livez", health.LiveView.as_view()),
    path("readyz", health.ReadyView.as_view()),
    re_path(r"", not_found),
]
