"""manage.py paymentruns: the payment runs, with what each paid and what it still has to pay."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db.models import Count, Q, Sum

from processes.claim.models import PaymentRun
from timers import calendars


class Command(BaseCommand):
    help = "List the payment runs of claims, the newest first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--last", type=int, default=20, help="how many of them")

    def handle(self, *, last: int, **options: Any) -> None:
        paid, waiting = Q(orders__state="paid"), Q(orders__state="waiting")
        runs = PaymentRun.objects.annotate(
            paid=Count("orders", filter=paid),
            sum_paid=Sum("orders__amount", filter=paid),
            waiting=Count("orders", filter=waiting),
            sum_waiting=Sum("orders__amount", filter=waiting),
        ).order_by("-run_at")
        for run in runs[: max(last, 0)]:
            at = calendars.default().local(run.run_at)
            self.stdout.write(
                f"{at:%a %d %b %Y %H:%M}  paid {run.paid} ({run.sum_paid or 0:.2f}), "
                f"waiting {run.waiting} ({run.sum_waiting or 0:.2f})"
            )
