"""The pages."""

from __future__ import annotations

from django.contrib.auth import views as auth_views
from django.urls import include, path

from memoryapp.web import account, audit, memories

urlpatterns = [
    path("", account.home, name="home"),
    path("memories", memories.memory_list, name="memories"),
    path("memories/add", memories.memory_add, name="memory-add"),
    path("memories/batch", memories.memory_batch, name="memory-batch"),
    path("memories/<str:item>", memories.memory_detail, name="memory"),
    path("inbox", memories.inbox, name="inbox"),
    path("trash", memories.trash, name="trash"),
    path("preview", memories.preview, name="preview"),
    path("audit", audit.trail, name="audit"),
    path("audit/export", audit.export, name="audit-export"),
    path("audit/exports/<uuid:export_id>", audit.download, name="audit-download"),
    path("switch", account.switch, name="switch"),
    path("login", auth_views.LoginView.as_view(template_name="account/login.html"), name="login"),
    path("logout", auth_views.LogoutView.as_view(), name="logout"),
    path("i18n/", include("django.conf.urls.i18n")),
]
