"""The installation: settings, addresses, the Celery app, and what `make up` runs."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
