from django.apps import AppConfig


class LoanConfig(AppConfig):
    name = "processes.loan"
    label = "loan"
    default_auto_field = "django.db.models.BigAutoField"
