from django.apps import AppConfig


class AuditConfig(AppConfig):
    """What happened: events and their hash chain. Knows no other app."""

    name = "audit"
    default_auto_field = "django.db.models.BigAutoField"
