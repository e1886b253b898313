"""The addresses of the pages."""

from __future__ import annotations

from django.contrib.auth import views as auth
from django.urls import URLPattern, URLResolver, path, re_path

from memoryapp.web import audit, erasures, inbox, invitation, memories, people, preview, privacy, session, timeline
from memoryapp.web.bulk import VERBS

urlpatterns: list[URLPattern | URLResolver] = [
    path("", memories.start, name="memories"),
    path("home", session.home, name="home"),
    path("memories/runs", memories.runs, name="runs"),
    path("memories/add", memories.add, name="add_memory"),
    path("memories/bulk", memories.bulk, name="bulk"),
    path("memories/undo", memories.undo, name="undo"),
    path("memories/switch", memories.switch, name="switch_memory"),
    path("memories/<str:mem_id>", memories.detail, name="memory"),
    path("memories/<str:mem_id>/edit", memories.edit, name="edit_memory"),
    path("memories/<str:mem_id>/erase", erasures.erase_memory, name="erase_memory"),
    path("memories/<str:mem_id>/versions/<int:number>/restore", memories.restore_version, name="restore_version"),
    re_path(rf"^memories/(?P<mem_id>[^/]+)/(?P<verb>{'|'.join(sorted(VERBS))})$", memories.act, name="act"),
    path("inbox", inbox.inbox, name="inbox"),
    path("inbox/bulk", inbox.inbox_bulk, name="inbox_bulk"),
    path("trash", memories.trash, name="trash"),
    path("timeline", timeline.timeline, name="timeline"),
    path("privacy", privacy.privacy, name="privacy"),
    path("privacy/erase", privacy.erase_me, name="erase_me"),
    path("privacy/purge", privacy.purge, name="purge"),
    path("privacy/erasures/<str:era_id>", erasures.my_erasure, name="my_erasure"),
    path("privacy/erasures/<str:era_id>/receipt", erasures.my_receipt, name="my_receipt"),
    path("privacy/erasures/<str:era_id>/retry", erasures.retry_erasure, name="retry_erasure"),
    path("erasures", erasures.erasures, name="erasures"),
    path("erasures/<str:era_id>", erasures.erasure, name="erasure"),
    path("erasures/<str:era_id>/receipt", erasures.erasure_receipt, name="erasure_receipt"),
    path("receipt/<str:token>", erasures.linked_receipt, name="linked_receipt"),
    path("receipt/<str:token>/download", erasures.linked_receipt_file, name="linked_receipt_file"),
    path("preview", preview.preview, name="preview"),
    path("audit", audit.audit, name="audit"),
    path("audit/exports", audit.start_export, name="start_export"),
    path("audit/exports/<str:exp_id>", audit.export, name="export"),
    path("audit/exports/<str:exp_id>/download", audit.download, name="download_export"),
    path("people", people.people, name="people"),
    path("people/invite", people.invite, name="invite"),
    path("people/invitations/<str:inv_id>/revoke", people.revoke, name="revoke_invitation"),
    path("invitation/<str:token>", invitation.invitation, name="invitation"),
    path("switch", session.choose_seat, name="switch"),
    path("language", session.choose_language, name="set_language"),
    path("login", session.EmailLoginView.as_view(), name="login"),
    path("logout", auth.LogoutView.as_view(), name="logout"),
    path("password", session.ChangeView.as_view(), name="password_change"),
    path("password/changed", auth.PasswordChangeDoneView.as_view(), name="password_change_done"),
    path("password/reset", session.ResetView.as_view(), name="password_reset"),
    path("password/reset/sent", auth.PasswordResetDoneView.as_view(), name="password_reset_done"),
    path("password/reset/<uidb64>/<token>", session.ConfirmView.as_view(), name="password_reset_confirm"),
    path("password/reset/complete", auth.PasswordResetCompleteView.as_view(), name="password_reset_complete"),
]
