"""Claims, their parents (travel permits, policies), their sub-cases, and the payment runs."""

from processes.claim.models.claim import Claim
from processes.claim.models.fraud_look import FraudLook
from processes.claim.models.permit import TravelPermit
from processes.claim.models.policy import Policy
from processes.claim.models.recovery import Recovery
from processes.claim.models.runs import PaymentOrder, PaymentRun

__all__ = [
    "Claim",
    "FraudLook",
    "PaymentOrder",
    "PaymentRun",
    "Policy",
    "Recovery",
    "TravelPermit",
]
