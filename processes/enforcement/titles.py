"""What each message of a fine is called on the pages of a case."""

from django.utils.translation import gettext_lazy as _

TITLES = {
    "posted": _("Notice posted"),
    "delivered": _("Notice delivered"),
    "payment": _("Payment"),
    "appeal_to_prefect": _("Appeal to the prefect"),
    "appeal_to_judge": _("Appeal to the judge"),
    "ruling_of_prefect": _("Ruling of the prefect"),
    "ruling_of_judge": _("Ruling of the judge"),
}
