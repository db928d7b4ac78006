"""Addresses of the processes' pages."""

from django.urls import path

from processes.handbook import views

urlpatterns = [
    path("", views.all_kinds, name="processes"),
    path("<slug:name>/", views.one_kind, name="process"),
    path("<slug:name>/drawing.<slug:form>", views.export, name="process-drawing"),
    path("<slug:name>/steps/<slug:step>/", views.one_step, name="process-step"),
    path("<slug:name>/steps/<slug:step>/<int:version>/", views.one_step, name="step-version"),
    path("<slug:name>/code/<slug:digest>/", views.source, name="process-source"),
    path("<slug:name>/tables/<slug:table>/", views.one_table, name="process-table"),
    path("<slug:name>/tables/<slug:table>/<str:version>/", views.one_table, name="table-version"),
]
