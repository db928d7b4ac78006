"""Recorded histories, and the stories that made them."""

from processes.testing import sound

__all__ = ["sound"]
