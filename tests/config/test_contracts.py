"""The import rule says what it means."""

import grimp
import pytest

from config.contracts import TwoFloors

CONTRACT = TwoFloors(
    name="two floors",
    session_options={},
    contract_options={
        "layers": ["audit", "timers", "cases", "processes"],
        "faces": ["views", "management"],
    },
)


@pytest.mark.parametrize(
    "importer, imported, kept",
    [
        ("cases.tasks", "audit.record", True),
        ("audit.record", "cases.tasks", False),  # to the right
        ("cases.tasks", "cases.views.work", False),  # a service imports a face
        ("cases.views.work", "processes.engine.run", True),  # a face may call any service
        ("processes.engine.run", "processes.loan.steps", False),  # the engine knows no kind
        ("processes.loan.steps", "processes.engine.run", True),
        ("processes.loan.steps", "processes.permit.steps", False),  # nor a kind another
        ("processes.loan.steps", "processes.loan.rules", True),
        ("timers.clock", "config.settings", False),  # nor an app the installation
        ("config.urls", "cases.views.work", True),
    ],
)
def test_an_import_is_allowed_or_not(importer: str, imported: str, kept: bool) -> None:
    graph = grimp.ImportGraph()
    for module in ("processes.loan.apps", "processes.permit.apps"):
        graph.add_module(module)
    graph.add_import(importer=importer, imported=imported)
    assert CONTRACT.check(graph, verbose=False).kept is kept
