"""The service's addresses, and the minimal views beside them. Only `manage.py bench` serves these."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from memoryapp.management.benchmarks import views
from memoryapp.urls import urlpatterns as product

urlpatterns: list[URLPattern | URLResolver] = [
    path("bench/<str:alias>/search", views.SearchView.as_view()),
    path("bench/<str:alias>/row", views.RowView.as_view()),
    path("bench/<str:alias>/list", views.ListView.as_view()),
    path("bench/<str:alias>/add", views.AddView.as_view()),
    path("bench/<str:alias>/forget", views.ForgetView.as_view()),
    *product,
]
