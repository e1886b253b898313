"""A lease and a fence for requests with an Idempotency-Key, and the codes that their replay tells again."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0010_consolidation"),
    ]
    operations = [
        migrations.AddField("idempotencyrecord", "claim", models.UUIDField(blank=True, null=True)),
        migrations.AddField("idempotencyrecord", "lease_until", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("idempotencyrecord", "notes", models.JSONField(default=dict)),
    ]
