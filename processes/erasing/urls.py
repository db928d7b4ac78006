"""Addresses of what is kept, held and erased."""

from django.urls import path

from processes.erasing import views

urlpatterns = [
    path("destructions/", views.index, name="destructions"),
    path("destructions/new/", views.make, name="make-destruction"),
    path("destructions/person/", views.person, name="erase-person"),
    path("destructions/<int:pk>/", views.destruction, name="destruction"),
    path("destructions/<int:pk>/approve/", views.approve, name="approve-destruction"),
    path("destructions/<int:pk>/drop/", views.drop, name="drop-destruction"),
    path("destructions/<int:pk>/cases/<int:row_pk>/off/", views.take_off, name="take-off"),
    path("certificates/", views.certificates, name="certificates"),
    path("certificates/<str:number>/", views.certificate, name="certificate"),
    path("holds/", views.hold_list, name="holds"),
    path("holds/<int:pk>/lift/", views.lift, name="lift-hold"),
    path("cases/<str:reference>/hold/", views.hold, name="hold-case"),
    path("administration/retention/", views.rule_list, name="retention"),
    path("administration/retention/<slug:kind_name>/", views.rule, name="retention-rule"),
    path(
        "administration/retention/<slug:kind_name>/<str:ending>/", views.rule, name="retention-rule"
    ),
]
