"""Addresses for the world outside: they need no login."""

from django.urls import path

from processes import public

urlpatterns = [path("answer/<str:token>", public.answer, name="callback")]
