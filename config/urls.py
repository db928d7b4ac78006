"""Addresses: each app names its own."""

from importlib.util import find_spec

from django.urls import include, path

urlpatterns = []
if find_spec("processes.urls"):
    urlpatterns.append(path("operations/", include("processes.urls")))
if find_spec("cases.urls"):
    urlpatterns.append(path("", include("cases.urls")))
