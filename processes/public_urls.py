"""Addresses for the world outside: they need no login."""

from django.urls import include, path

from processes import public

urlpatterns = [
    path("answer/<str:token>", public.answer, name="callback"),
    path("", include("processes.customer.urls")),
]
