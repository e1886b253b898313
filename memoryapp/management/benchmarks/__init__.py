"""`manage.py bench`: synthetic tenants, and the service measured beside the least that could do the same."""
