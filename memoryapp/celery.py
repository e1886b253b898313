"""The Celery application. Messages only wake a worker; the rows are the queue of record."""

from __future__ import annotations

import os
import signal
from typing import Any

from celery import Celery
from celery.signals import worker_process_init

from memoryapp.children import end_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")

app = Celery("memoryapp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["memoryapp"])


@worker_process_init.connect
def leave_no_orphan(**kwargs: Any) -> None:
    """A pool process ends with its worker, even when that one is killed; its run's lease then ends by itself."""
    end_with_parent(signal.SIGKILL)
