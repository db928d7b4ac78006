from django.apps import AppConfig


class TimersConfig(AppConfig):
    """Time: the one clock, spans, business calendars, durable timers and the timer service."""

    name = "timers"
    default_auto_field = "django.db.models.BigAutoField"
