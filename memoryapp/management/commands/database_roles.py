from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from memoryapp.database_roles import operator_script


class Command(BaseCommand):
    help = "Print the SQL that an operator runs once on a PostgreSQL server of their own."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(operator_script())
