"""The tables of an installation: each kind keeps its own in a folder `tables` beside its rules.

TABLES = tables_beside(__file__)          # in processes/loan/rules.py
WHO_JUDGES = TABLES["who_judges"]
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from processes.decisions.csvfile import read_csv
from processes.decisions.dmn import read_dmn
from processes.decisions.errors import BadTable
from processes.decisions.tables import DecisionTable, TableVersion

ROWS = ".rows.csv"  # the end of the names of files with test rows
_tables: dict[tuple[str, str], DecisionTable] = {}


def tables_beside(module_file: str) -> dict[str, DecisionTable]:
    """The tables in the folder `tables` beside a module, by name. Raises BadTable."""
    package = Path(module_file).parent
    found = load(package / "tables", owner=package.name)
    _tables.update({(package.name, name): table for name, table in found.items()})
    return found


def load(folder: Path, *, owner: str = "") -> dict[str, DecisionTable]:
    """All tables of a folder: one CSV file a version, or DMN. Raises BadTable."""
    if not folder.is_dir():
        raise BadTable("there is no such folder", file=str(folder))
    named: dict[str, list[TableVersion]] = {}
    for version in versions_in(folder):
        for other in named.setdefault(version.name, []):
            if other.valid_from == version.valid_from or other.version == version.version:
                raise BadTable(
                    f"version {version.version} of “{version.name}” has the number or the first "
                    f"day of the one in {other.file}",
                    file=version.file,
                )
        named[version.name].append(version)
    return {
        name: DecisionTable(versions, owner=owner, folder=folder)
        for name, versions in named.items()
    }


def versions_in(folder: Path) -> Iterator[TableVersion]:
    """Each version in the files of a folder, by the names of the files."""
    for path in sorted(folder.iterdir()):
        if path.name.endswith(ROWS):
            continue
        if path.suffix == ".csv":
            yield read_csv(path)
        elif path.suffix == ".dmn":
            yield from read_dmn(path)


def known_tables() -> list[DecisionTable]:
    """The tables of all kinds of this installation, by kind and name."""
    return [_tables[key] for key in sorted(_tables)]


def table_of(owner: str, name: str) -> DecisionTable | None:
    """One table of a kind."""
    return _tables.get((owner, name))
