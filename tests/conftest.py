"""What every test may rely on. Fixtures live in `tests/fixtures/`, one module a subject."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.sizes import IS_LONG, sized

pytest_plugins = [
    f"tests.fixtures.{path.stem}"
    for path in sorted((Path(__file__).parent / "fixtures").glob("*.py"))
    if path.stem != "__init__"
]

RECORDED_DATA = Path(
    os.environ.get("LONGCASE_RECORDED_DATA")
    or Path(__file__).resolve().parents[1].parent / "shared" / "data"
)

settings.register_profile("sized", max_examples=sized(30, 300), deadline=None)
settings.load_profile("sized")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long ones only where they are asked for. The slow ones first, so that no worker is left with
    one while the other has nothing to do; then those with the demo side by side, so that one
    worker loads it for all of them."""
    if not IS_LONG:
        config.hook.pytest_deselected(items=[i for i in items if i.get_closest_marker("long")])
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    items.sort(
        key=lambda item: (
            item.get_closest_marker("slow") is None,
            "demo" not in getattr(item, "fixturenames", ()),
        )
    )


@pytest.fixture(scope="session")
def recorded_data() -> Path:
    """The folder of recorded cases; tests that need it are skipped, and say so, without it."""
    if not RECORDED_DATA.is_dir():
        pytest.skip(f"needs the recorded data: set LONGCASE_RECORDED_DATA (not in {RECORDED_DATA})")
    return RECORDED_DATA
