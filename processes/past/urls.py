"""Addresses of the history of a case: its pages, each event, a day, two moments, paper."""

from django.urls import path

from processes.past import views

urlpatterns = [
    path("", views.history, name="case-history"),
    path("print/", views.print_history, name="print-history"),
    path("at/", views.at, name="case-history-at"),
    path("compare/", views.compare, name="compare-moments"),
    path("<int:number>/", views.replay, name="case-event"),
]
