"""manage.py clock: fire timers when they are due, and look for what was lost. Run any number."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from audit import feed, readseals
from cases import digest, drafts, once, presence
from processes import letters
from processes.acts import bulk, clients, expiring, uploads
from processes.acts import destructions as destruction_acts
from processes.acts import exports as export_acts
from processes.acts import jobs as job_acts
from processes.customer import codes
from processes.erasing import files
from processes.insight import catching
from processes.proof import anchoring, runs
from processes.webhooks import delivering, notices
from processes.work import (
    bulkacts,
    coderuns,
    destructions,
    exports,
    firing,
    jobs,
    memory,
    recompute,
    sweeps,
    weekfigures,
)
from timers import service
from timers.sweeps import Sweep

SWEEPS = (
    Sweep("lost claims", 1, lambda: sweeps.free_lost_claims()),
    Sweep("feed", 1, lambda: feed.number()),
    Sweep("read log", 300, lambda: readseals.seal()),
    Sweep("long activities", 2, lambda: sweeps.publish_long_activities()),
    Sweep("stopped cases", 30, lambda: sweeps.retry_incidents()),
    Sweep("cases without a wait", 30, lambda: sweeps.find_cases_without_wait()),
    Sweep("code runs", 5, lambda: coderuns.publish_unfinished()),
    Sweep("acts on many cases", 5, lambda: bulkacts.publish_unfinished()),
    Sweep("checks of history", 5, lambda: runs.publish_unfinished()),
    Sweep("anchors", 20, lambda: anchoring.publish_due()),
    Sweep("jobs", 5, lambda: jobs.publish_unfinished()),
    Sweep("exports", 5, lambda: exports.publish_unfinished()),
    Sweep("changed calendars", 2, lambda: recompute.follow_calendars()),
    Sweep("dead workers", 10, lambda: sweeps.forget_dead_workers()),
    Sweep("papers that no longer count", 600, lambda: expiring.ask_again()),
    Sweep("letters without a case", 10, lambda: letters.send_without_case()),
    Sweep("paused webhooks", 30, lambda: notices.tell_paused()),
    Sweep("attempts of webhooks", 3600, lambda: delivering.forget_old()),
    Sweep("forms carried out", 3600, lambda: once.forget_old()),
    Sweep("drafts", 3600, lambda: drafts.forget_old()),
    Sweep("old acts on many cases", 3600, lambda: bulk.forget_old()),
    Sweep("uploads that were left", 600, lambda: uploads.forget_old()),
    Sweep("old jobs", 3600, lambda: job_acts.forget_old()),
    Sweep("old exports", 600, lambda: export_acts.forget_old()),
    Sweep("open forms", 3600, lambda: presence.forget_old()),
    Sweep("figures of the day", 3600, lambda: weekfigures.write_today()),
    Sweep("tables of insight", 10, lambda: catching.publish_behind()),
    Sweep("digests", 60, lambda: digest.send_due()),
    Sweep("customers' visits", 3600, lambda: codes.forget_old()),
    Sweep("destructions", 5, lambda: destructions.publish_unfinished()),
    Sweep("destruction list of the day", 3600, lambda: destruction_acts.make_daily()),
    Sweep("files of erased cases", 30, lambda: files.delete_left()),
    Sweep("answers of the API", 3600, lambda: clients.forget_old()),
)


class Command(BaseCommand):
    help = "Fire due timers and make the rounds, until stopped. Any number may run, anywhere."

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        memory.settle()
        service.run(firing.serve, SWEEPS, stop)
