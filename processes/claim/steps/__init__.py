"""What happens in each step of claims and of what belongs to them. docs/claim.md tells it all in
plain words."""

from processes.claim.steps import claim, fraud_look, permit, policy, recovery

__all__ = ["claim", "fraud_look", "permit", "policy", "recovery"]
