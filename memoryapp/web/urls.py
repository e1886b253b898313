"""The addresses of the pages."""

from __future__ import annotations

from django.contrib.auth import views as auth
from django.urls import URLPattern, URLResolver, path, re_path
from django.views.i18n import set_language

from memoryapp.web import audit, inbox, memories, session

VERBS = "forget|restore|confirm|reject|pause|resume|not_noise"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", memories.memories, name="memories"),
    path("home", session.home, name="home"),
    path("memories/add", memories.add, name="add_memory"),
    path("memories/bulk", memories.bulk, name="bulk"),
    path("memories/undo", memories.undo, name="undo"),
    path("memories/<str:mem_id>", memories.detail, name="memory"),
    path("memories/<str:mem_id>/edit", memories.edit, name="edit_memory"),
    re_path(rf"^memories/(?P<mem_id>[^/]+)/(?P<verb>{VERBS})$", memories.act, name="act"),
    path("inbox", inbox.inbox, name="inbox"),
    path("trash", memories.trash, name="trash"),
    path("preview", memories.preview, name="preview"),
    path("audit", audit.audit, name="audit"),
    path("audit/exports", audit.start_export, name="start_export"),
    path("audit/exports/<str:exp_id>", audit.export, name="export"),
    path("audit/exports/<str:exp_id>/download", audit.download, name="download_export"),
    path("switch", session.choose_seat, name="switch"),
    path("language", set_language, name="set_language"),
    path("login", session.EmailLoginView.as_view(), name="login"),
    path("logout", auth.LogoutView.as_view(), name="logout"),
    path("password", auth.PasswordChangeView.as_view(), name="password_change"),
    path("password/changed", auth.PasswordChangeDoneView.as_view(), name="password_change_done"),
    path("password/reset", auth.PasswordResetView.as_view(), name="password_reset"),
    path("password/reset/sent", auth.PasswordResetDoneView.as_view(), name="password_reset_done"),
    path("password/reset/<uidb64>/<token>", auth.PasswordResetConfirmView.as_view(), name="password_reset_confirm"),
    path("password/reset/complete", auth.PasswordResetCompleteView.as_view(), name="password_reset_complete"),
]
