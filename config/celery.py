"""The Celery app. A message is a wake-up call; the rows in the database are the truth."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("longcase")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["processes.work"], related_name="perform")
app.autodiscover_tasks(["processes.work"], related_name="coderuns")
app.autodiscover_tasks(["processes.work"], related_name="bulkacts")
app.autodiscover_tasks(["processes.work"], related_name="jobs")
app.autodiscover_tasks(["processes.proof"], related_name="runs")
app.autodiscover_tasks(["processes.proof"], related_name="anchoring")
app.autodiscover_tasks(["processes.work"], related_name="destructions")
app.autodiscover_tasks(["processes.insight"], related_name="catching")

# By name, since it is loaded when the worker starts, after Django's models.
app.steps["worker"].add("processes.work.bootstep:PoolWatch")
# The short lane: its workers also host the thread that drains short activities, and the courier of
# the webhooks. Each looks itself whether this is such a worker.
app.steps["worker"].add("processes.work.bootstep:Drain")
app.steps["worker"].add("processes.work.bootstep:Courier")
