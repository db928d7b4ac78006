"""People who open pages, as in the tests of pages."""

from tests.cases.conftest import visit

__all__ = ["visit"]
