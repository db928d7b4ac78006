"""Addresses of the pages that claims have beside those of each case."""

from django.urls import path

from processes.claim import views

urlpatterns = [
    path("payment-runs/", views.payment_runs, name="payment-runs"),
    path("payment-runs/<int:pk>/", views.payment_run, name="payment-run"),
]
