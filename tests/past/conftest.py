"""Pages as people open them."""

from tests.cases.conftest import visit

__all__ = ["visit"]
