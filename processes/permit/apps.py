from django.apps import AppConfig


class PermitConfig(AppConfig):
    name = "processes.permit"
    label = "permit"
    default_auto_field = "django.db.models.BigAutoField"
