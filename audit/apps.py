from django.apps import AppConfig


class AuditConfig(AppConfig):
    """What happened: events and their hash chain. Knows no other app."""

    name = "audit"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        import audit.checks  # noqa: F401 - registers itself
