"""Addresses of the pages of jobs."""

from django.urls import path

from processes.jobs import views

urlpatterns = [
    path("", views.jobs, name="jobs"),
    path("<int:pk>/", views.job, name="job"),
    path("<int:pk>/cancel/", views.cancel, name="cancel-job"),
]
