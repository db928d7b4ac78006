"""Payment runs, and what each has to pay. Rows of our own, beside the histories of the claims."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class PaymentRun(models.Model):
    """The payments of one moment, Monday or Thursday at 17:30. It is done when no order waits."""

    run_at = models.DateTimeField(unique=True)
    begun_at = models.DateTimeField()  # when the first claim joined it

    class Meta:
        verbose_name = _("payment run")
        verbose_name_plural = _("payment runs")

    def __str__(self) -> str:
        return f"payment run of {self.run_at:%d %b %Y %H:%M}"


class PaymentOrder(models.Model):
    """One payment of one claim. Its key is the idempotency key of the activity that made it, so
    a claim that is paid in parts has an order for each part, and each is there once."""

    run = models.ForeignKey(PaymentRun, on_delete=models.PROTECT, related_name="orders")
    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="+")
    key = models.CharField(max_length=80, unique=True)
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    state = models.CharField(max_length=12, default="waiting")  # waiting, paid, left
    booking = models.CharField(max_length=80, default="", blank=True)
    settled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case"],
                condition=models.Q(state="waiting"),
                name="payment_order_waits_once",
            ),
            models.CheckConstraint(condition=models.Q(amount__gt=0), name="payment_of_something"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} in the {self.run}"
