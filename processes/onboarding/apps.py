from django.apps import AppConfig


class OnboardingConfig(AppConfig):
    name = "processes.onboarding"
    label = "onboarding"
    default_auto_field = "django.db.models.BigAutoField"
