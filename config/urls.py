"""Addresses. Each app names its own; the health pages belong to the installation."""

from importlib.util import find_spec

from django.urls import include, path

from config import health

urlpatterns = [
    path("health/live", health.live, name="health-live"),
    path("health/ready", health.ready, name="health-ready"),
]
if find_spec("processes.urls"):
    urlpatterns.append(path("operations/", include("processes.urls")))
if find_spec("cases.urls"):
    urlpatterns.append(path("", include("cases.urls")))
