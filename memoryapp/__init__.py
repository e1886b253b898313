"""Memoryapp: long-term memory for LLM agents."""

from memoryapp.celery import app as celery_app

__all__ = ["celery_app"]
