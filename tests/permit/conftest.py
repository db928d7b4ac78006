"""What the tests of permits rely on: `desk` is theirs here, and the trial desk elsewhere."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def desk(permit_desk: Any) -> Any:
    return permit_desk
