"""Addresses of the pages that try a change on closed cases."""

from django.urls import path

from processes.backtest import views

urlpatterns = [
    path("<slug:kind_name>/", views.what_to_try, name="try-change"),
    path("<slug:kind_name>/tables/<str:table>/", views.try_table, name="try-table"),
    path("<slug:kind_name>/steps/<str:step>/", views.try_version, name="try-version"),
]
