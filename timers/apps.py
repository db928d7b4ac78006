from django.apps import AppConfig


class TimersConfig(AppConfig):
    """Time: the one clock, spans, business calendars, durable timers and the timer service."""

    name = "timers"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from timers import calendarbook, calendars, clock

        def follow(newest: int) -> None:
            if not calendars.is_current(newest):
                calendarbook.read()

        clock.on_calendar_change = follow
