"""Addresses of customers' pages: all of one page lies under its signed address."""

from django.urls import path

from processes.customer import views

urlpatterns = [
    path("page/", views.lost, name="customer-lost"),
    path("page/<str:token>/", views.page, name="customer-page"),
    path("page/<str:token>/code/", views.code, name="customer-code"),
    path("page/<str:token>/leave/", views.leave, name="customer-leave"),
    path("page/<str:token>/renew/", views.renew, name="customer-renew"),
    path("page/<str:token>/paper/", views.paper, name="customer-paper"),
    path("page/<str:token>/paper/<str:name>/", views.paper, name="customer-paper"),
    path("page/<str:token>/answer/<slug:name>/", views.answer, name="customer-answer"),
    path("page/<str:token>/withdraw/", views.withdraw, name="customer-withdraw"),
    path("page/<str:token>/letters/<int:pk>/", views.letter, name="customer-letter"),
]
