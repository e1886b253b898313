"""Row-level security for invitations."""

from __future__ import annotations

from django.db import migrations

from memoryapp.row_security import all_tables


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_invitation"),
        ("memoryapp", "0012_run_counts"),
    ]
    operations = [migrations.RunSQL(all_tables(("accounts_invitation",)), migrations.RunSQL.noop)]
