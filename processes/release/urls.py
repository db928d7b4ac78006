"""Addresses of the pages about cases and the code of their steps."""

from django.urls import path

from processes.release import views

urlpatterns = [
    path("", views.code, name="code"),
    path("check/", views.check, name="code-check"),
    path("move/", views.preview, name="code-preview"),
    path("runs/<int:pk>/", views.run, name="code-run"),
    path("runs/<int:pk>/move/", views.move, name="code-move"),
    path("runs/<int:pk>/undo/", views.undo, name="code-undo"),
    path("restart/<str:reference>/", views.restart, name="restart-step"),
]
