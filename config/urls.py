"""Addresses: each app names its own."""

from django.urls import include, path

from processes.api import oauth

urlpatterns = [
    path("api/v1/", include("processes.api.urls")),
    path(".well-known/oauth-authorization-server", oauth.metadata),
    path("operations/", include("processes.urls")),
    path("checks/", include("processes.proof.urls")),
    path("webhooks/", include("processes.webhooks.urls")),
    path("jobs/", include("processes.jobs.urls")),
    path("exports/", include("processes.exports.urls")),
    path("processes/", include("processes.handbook.urls")),
    path("insight/", include("processes.insight.urls")),
    path("cases/<str:reference>/history/", include("processes.past.urls")),
    path("", include("processes.erasing.urls")),
    path("", include("processes.public_urls")),
    path("", include("processes.kind_urls")),
    path("", include("cases.urls")),
]

handler500 = "config.unavailable.answer"
