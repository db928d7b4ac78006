"""Addresses of casework. A case goes by its reference, everything under it by its own number."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from cases.forms import LoginForm
from cases.views import acts, case, clocks, documents, lists, me, notes, signing, tasks, tray, work

urlpatterns = [
    path("", work.home, name="home"),
    path("login/", LoginView.as_view(authentication_form=LoginForm), name="login"),
    path("login/again/", signing.signed_in_again, name="signed-in"),
    path("login/stay/", signing.stay, name="stay"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("settings/", me.my_settings, name="settings"),
    path("clock/", me.turn_clock, name="turn-clock"),
    path("work/", work.my_work, name="my-work"),
    path("work/notices/<int:pk>/", work.dismiss_notice, name="dismiss-notice"),
    path("work/next/", work.take_next, name="take-next"),
    path("messages/", tray.tray, name="tray"),
    path("messages/<int:pk>/", tray.link_message, name="message"),
    path("cases/", lists.case_list, name="cases"),
    path("cases/new/<slug:kind_name>/", acts.new_case, name="new-case"),
    path("cases/<str:reference>/", case.overview, name="case"),
    path("cases/<str:reference>/documents/", documents.document_list, name="case-documents"),
    path("cases/<str:reference>/documents/new/", documents.receive, name="receive-document"),
    path(
        "cases/<str:reference>/documents/new/<str:name>/",
        documents.receive,
        name="receive-document",
    ),
    path("cases/<str:reference>/documents/ask/", documents.ask, name="ask-documents"),
    path("cases/<str:reference>/reviews/", case.reviews, name="case-reviews"),
    path("cases/<str:reference>/notes/", notes.notes, name="case-notes"),
    path("cases/<str:reference>/steps/", case.steps, name="case-steps"),
    path("cases/<str:reference>/history/", case.history, name="case-history"),
    path("cases/<str:reference>/facts/", acts.change_facts, name="change-facts"),
    path("cases/<str:reference>/caseworker/", acts.assign_case, name="assign-case"),
    path("cases/<str:reference>/answers/<slug:name>/", acts.record_answer, name="record-answer"),
    path("cases/<str:reference>/move/<slug:name>/", acts.move_case, name="move-case"),
    path("cases/<str:reference>/clocks/<str:name>/pause/", clocks.pause, name="pause-clock"),
    path("cases/<str:reference>/clocks/<str:name>/resume/", clocks.resume, name="resume-clock"),
    path("cases/<str:reference>/clocks/<str:name>/extend/", clocks.extend, name="extend-clock"),
    path(
        "cases/<str:reference>/clocks/<str:name>/pauses/<int:number>/",
        clocks.correct,
        name="correct-pause",
    ),
    path("cases/<str:reference>/pulse", case.pulse, name="case-pulse"),
    path("tasks/<int:pk>/", tasks.task, name="task"),
    path("tasks/<int:pk>/take/", tasks.claim, name="claim-task"),
    path("tasks/<int:pk>/give-back/", tasks.release, name="release-task"),
    path("tasks/<int:pk>/hand-over/", tasks.hand_over, name="hand-over-task"),
    path("tasks/<int:pk>/take-back/", tasks.take_back, name="take-back-task"),
    path("documents/<int:pk>/", documents.document, name="document"),
    path("documents/<int:pk>/file", documents.document_file, name="document-file"),
]
