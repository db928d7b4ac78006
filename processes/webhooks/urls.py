"""Addresses of the pages of webhooks."""

from django.urls import path

from processes.webhooks import views

urlpatterns = [
    path("", views.webhooks, name="webhooks"),
    path("<int:pk>/", views.webhook, name="webhook"),
    path("<int:pk>/change/", views.change, name="change-webhook"),
    path("<int:pk>/secret/", views.secret, name="webhook-secret"),
    path("<int:pk>/replay/", views.replay, name="replay-webhook"),
    path("<int:pk>/<str:name>/", views.act, name="webhook-act"),
]
