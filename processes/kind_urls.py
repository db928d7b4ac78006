"""Addresses of the pages that kinds bring along: `urls.py` in the package of a kind, under the
label of its app. A kind names those that belong in the menu as its `pages`."""

from __future__ import annotations

import importlib.util

from django.urls import include, path

from processes.kinds import kinds

_apps = {kind.model._meta.app_config for kind in kinds().values()}
urlpatterns = [
    path(f"{app.label}/", include(f"{app.name}.urls"))
    for app in sorted(_apps, key=lambda app: app.label)
    if importlib.util.find_spec(f"{app.name}.urls") is not None
]
