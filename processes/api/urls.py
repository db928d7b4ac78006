"""Addresses of the API, version 1."""

from django.urls import path

from processes.api import (
    cases,
    docs,
    documents,
    events,
    kinds,
    messages,
    operations,
    reading,
    tasks,
)
from processes.api.base import NothingHere

urlpatterns = [
    path("", docs.docs, name="api-docs"),
    path("schema", docs.Schema.as_view(), name="api-schema"),
    path("problems", docs.Problems.as_view()),
    path("problems/<str:slug>", docs.OneProblem.as_view()),
    path("kinds", kinds.Kinds.as_view()),
    path("kinds/<str:name>", kinds.OneKind.as_view()),
    path("kinds/<str:name>/schema", kinds.KindSchema.as_view()),
    path("cases", cases.Cases.as_view()),
    path("cases/<str:reference>", cases.OneCase.as_view()),
    path("cases/<str:reference>/stood", reading.Stood.as_view()),
    path("cases/<str:reference>/events", reading.History.as_view()),
    path("cases/<str:reference>/documents", documents.CaseDocuments.as_view()),
    path("cases/<str:reference>/transitions/<str:name>", cases.Transition.as_view()),
    path("tasks", tasks.Tasks.as_view()),
    path("tasks/<int:pk>", tasks.OneTask.as_view()),
    path("tasks/<int:pk>/claim", tasks.Claim.as_view()),
    path("tasks/<int:pk>/release", tasks.ReleaseTask.as_view()),
    path("tasks/<int:pk>/hand-over", tasks.HandOverTask.as_view()),
    path("tasks/<int:pk>/complete", tasks.CompleteTask.as_view()),
    path("tasks/<int:pk>/take-back", tasks.TakeBackTask.as_view()),
    path("documents/<int:pk>", documents.OneDocument.as_view()),
    path("documents/<int:pk>/file", documents.DocumentFile.as_view()),
    path("documents/<int:pk>/accept", documents.AcceptDocument.as_view()),
    path("documents/<int:pk>/reject", documents.RejectDocument.as_view()),
    path("messages", messages.Messages.as_view()),
    path("messages/<int:pk>/link", messages.LinkMessage.as_view()),
    path("events", events.Events.as_view()),
    path("waits", operations.Waits.as_view()),
    path("incidents", operations.Incidents.as_view()),
    path("incidents/<int:pk>", operations.OneIncident.as_view()),
    path("incidents/<int:pk>/retry", operations.RetryIncident.as_view()),
    path("<path:rest>", NothingHere.as_view()),
]
