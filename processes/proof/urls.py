"""Addresses of the checks over all cases, their anchors and keys."""

from django.urls import path

from processes.proof import views

urlpatterns = [
    path("", views.checks, name="checks"),
    path("runs/<int:pk>/", views.run, name="check-run"),
    path("anchors/<int:number>/", views.anchor, name="anchor"),
    path("anchors/<int:number>/send/", views.send, name="send-anchor"),
    path("anchors/<int:number>/file/", views.anchor_file, name="anchor-file"),
    path("anchors/<int:number>/heads/", views.heads_file, name="anchor-heads"),
    path("cases/<str:reference>/", views.case, name="case-chain"),
    path("anchors.jsonl", views.all_anchors, name="all-anchors"),
    path("keys.txt", views.keys, name="anchor-keys"),
    path("longcase_verify.py", views.verifier, name="verifier"),
]
