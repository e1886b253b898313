"""Whether a memory was forgotten is asked of those only that are to be in use: what leaves asks for nothing."""

from __future__ import annotations

from django.db import migrations

LIVING = "NEW.status IN ('pending', 'active', 'paused', 'archived')"


def trigger(condition: str = "") -> str:
    return f"""
DROP TRIGGER memory_item_tombstoned ON memoryapp_memoryitem;
CREATE TRIGGER memory_item_tombstoned BEFORE INSERT OR UPDATE ON memoryapp_memoryitem
    FOR EACH ROW {condition} EXECUTE FUNCTION door.refuse_tombstoned();
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0024_known_libraries")]
    operations = [migrations.RunSQL(trigger(f"WHEN ({LIVING})"), trigger())]
