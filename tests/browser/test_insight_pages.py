"""The pages of process owners in a browser: empty and rich, light and dark, wide and narrow."""

from __future__ import annotations

from typing import Any

import pytest

from processes.insight import writing
from tests.browser.test_accessible import check

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_pages_of_insight(desk: Any, window: Any) -> None:
    one = window(desk.people.petra)
    found = check(one, "/insight/trial/")  # empty
    for script in ("review", "staff", "patience", "local"):
        desk.open(script, title="Hartog Bakery and Sons, Confectioners B.V.")
    desk.engine.advance(days=40)
    writing.catch_up(seconds=None)
    addresses = [
        f"/insight/trial/{page}" for page in ("", "ways/", "rework/", "deadlines/", "line/")
    ]
    addresses += ["/insight/", "/insight/trial/cases/?show=time&step=trying"]
    found += [wrong for address in addresses for wrong in check(one, address)]
    assert found == []
