"""The Celery app. A message is a wake-up call; the rows in the database are the truth."""

from importlib.util import find_spec
import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("longcase")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["processes"], related_name="work")

if os.environ.get("LONGCASE_DRAIN") == "1" and find_spec("processes.work"):
    # The short lane: this worker process also hosts the thread that drains short activities.
    from processes.work.bootstep import Drain

    app.steps["worker"].add(Drain)
