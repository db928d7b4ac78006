from django.apps import AppConfig


class EnforcementConfig(AppConfig):
    name = "processes.enforcement"
    label = "enforcement"
    default_auto_field = "django.db.models.BigAutoField"
