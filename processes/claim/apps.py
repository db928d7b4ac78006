from django.apps import AppConfig


class ClaimConfig(AppConfig):
    name = "processes.claim"
    label = "claim"
    default_auto_field = "django.db.models.BigAutoField"
