"""Indexes of the tiers of a context: a big library is never read whole."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0003_open_run_is_a_fresh_one"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="memoryitem",
            index=models.Index(
                condition=models.Q(("status", "active")),
                fields=["tenant", "space", "kind", "-importance", "-id"],
                name="item_tier",
            ),
        ),
        migrations.AddIndex(
            model_name="memoryitem",
            index=models.Index(
                condition=models.Q(("pinned", True), ("status", "active")),
                fields=["tenant", "space", "-importance", "-id"],
                name="item_pinned",
            ),
        ),
        migrations.AddIndex(
            model_name="memoryitem",
            index=models.Index(
                condition=models.Q(("status", "active"), models.Q(("subject", ""), _negated=True)),
                fields=["tenant", "space", "subject", "-id"],
                name="item_subject",
            ),
        ),
    ]
