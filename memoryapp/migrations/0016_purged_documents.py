"""Which messages an erased document was sent in."""

from __future__ import annotations

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0015_memory_exports"),
    ]

    operations = [
        migrations.AddField(
            model_name="erasure",
            name="message_ids",
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
        ),
    ]
