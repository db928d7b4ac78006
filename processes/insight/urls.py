"""Addresses of the pages of process owners."""

from django.urls import path

from processes.insight import views

urlpatterns = [
    path("", views.home, name="insight"),
    path("<slug:kind_name>/", views.time, name="insight-time"),
    path("<slug:kind_name>/ways/", views.ways, name="insight-ways"),
    path("<slug:kind_name>/rework/", views.rework, name="insight-rework"),
    path("<slug:kind_name>/deadlines/", views.deadlines, name="insight-deadlines"),
    path("<slug:kind_name>/line/", views.line, name="insight-line"),
    path("<slug:kind_name>/cases/", views.cases, name="insight-cases"),
]
