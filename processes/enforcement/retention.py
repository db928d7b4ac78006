"""How long closed fines are kept, by how they ended."""

from django.utils.translation import gettext_lazy as _

from processes.enforcement.models import Step
from processes.retention import Retention

KEPT = {
    Step.PAID: Retention(years=5, basis=_("policy on fines: in case one is paid again")),
    Step.COLLECTION: Retention(years=10, basis=_("as long as it can be collected")),
    "": Retention(years=1, basis=_("fines that were cancelled")),
}
