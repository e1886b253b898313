"""Celery shells."""
