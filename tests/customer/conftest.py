"""Offices of each kind, for their customers."""

from tests.enforcement.conftest import fines
from tests.onboarding.conftest import desk as relations
from tests.onboarding.conftest import outside

__all__ = ["fines", "outside", "relations"]
