"""Addresses of what is kept, held and erased."""

from django.urls import path

from processes.erasing.views import certificates, holds, lists, persons, rules

urlpatterns = [
    path("destructions/", lists.index, name="destructions"),
    path("destructions/new/", lists.make, name="make-destruction"),
    path("destructions/person/", persons.person, name="erase-person"),
    path("destructions/<int:pk>/", lists.destruction, name="destruction"),
    path("destructions/<int:pk>/approve/", lists.approve, name="approve-destruction"),
    path("destructions/<int:pk>/drop/", lists.drop, name="drop-destruction"),
    path("destructions/<int:pk>/cases/<int:row_pk>/off/", lists.take_off, name="take-off"),
    path("certificates/", certificates.certificates, name="certificates"),
    path("certificates/<str:number>/", certificates.certificate, name="certificate"),
    path("holds/", holds.hold_list, name="holds"),
    path("holds/<int:pk>/lift/", holds.lift, name="lift-hold"),
    path("cases/<str:reference>/hold/", holds.hold, name="hold-case"),
    path("administration/retention/", rules.rule_list, name="retention"),
    path("administration/retention/<slug:kind_name>/", rules.rule, name="retention-rule"),
    path(
        "administration/retention/<slug:kind_name>/<str:ending>/", rules.rule, name="retention-rule"
    ),
]
