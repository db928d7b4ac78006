"""Addresses of the operators' pages."""

from django.urls import include, path

from processes import views

urlpatterns = [
    path("incidents/", views.incidents, name="incidents"),
    path("incidents/<int:pk>/", views.incident, name="incident"),
    path("incidents/<int:pk>/again/", views.retry_incident, name="retry-incident"),
    path("incidents/<int:pk>/give-up/", views.give_up, name="give-up"),
    path("incidents/<int:pk>/all-again/", views.retry_cause, name="retry-cause"),
    path("incidents/results/<uuid:key>/", views.retry_results, name="retry-results"),
    path("code/", include("processes.release.urls")),
    path("try/", include("processes.backtest.urls")),
    path("running/", views.running, name="running"),
]
