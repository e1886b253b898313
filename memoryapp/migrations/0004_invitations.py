"""Row-level security for invitations."""

from __future__ import annotations

from django.db import migrations

from memoryapp.row_security import all_tables


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0003_open_run_is_a_fresh_one"), ("accounts", "0002_invitation")]
    operations = [migrations.RunSQL(all_tables(("accounts_invitation",)), migrations.RunSQL.noop)]
