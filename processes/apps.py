from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class ProcessesConfig(AppConfig):
    name = "processes"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from processes import checks  # noqa: F401  (registers the system checks)
        from processes.customer import letters  # noqa: F401  (registers its activity)
        from processes.decisions import checks as table_checks  # noqa: F401

        # Each kind is an app with a steps module; importing it registers the kind.
        autodiscover_modules("steps")
        # What becomes of the tables that a kind has besides, when a case is erased.
        from processes.erasing import declared  # noqa: F401

        autodiscover_modules("erasing")
