"""Addresses of the pages of exports."""

from django.urls import path

from processes.exports import views

urlpatterns = [
    path("", views.exports, name="exports"),
    path("new/", views.new, name="new-export"),
    path("<int:pk>/", views.export, name="export"),
    path("<int:pk>/file", views.file, name="export-file"),
    path("<int:pk>/cancel/", views.cancel, name="cancel-export"),
    path("<int:pk>/remove/", views.remove, name="remove-export"),
]
