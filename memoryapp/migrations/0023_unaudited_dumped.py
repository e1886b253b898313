"""A backup reads the sequence of `door.unaudited` too: a dump takes it along with its table."""

from __future__ import annotations

from django.db import migrations

GRANT = """
SET ROLE memoryapp_lookup;
GRANT SELECT ON SEQUENCE door.unaudited_id_seq TO memoryapp_dump;
RESET ROLE;
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0022_cheaper_changes")]
    operations = [migrations.RunSQL(GRANT, migrations.RunSQL.noop)]
