"""The import rule of `make check`: two floors (docs/decisions has the reason)."""

from typing import Any

from importlinter import Contract, ContractCheck, fields, output


class TwoFloors(Contract):
    """Below, services: each app imports only apps to its left, and kinds stand above all.

    Above, faces (views, commands, ...): they may import any service, and no service imports them.
    """

    layers: Any = fields.ListField(subfield=fields.StringField())
    faces: Any = fields.ListField(subfield=fields.StringField())

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        kinds = {module.removesuffix(".apps") for module in graph.modules if is_kind(module)}
        found: list[str] = []
        for importer in sorted(graph.modules):
            if self.is_face(importer) or self.height(importer, kinds) is None:
                continue
            for imported in sorted(graph.find_modules_directly_imported_by(importer)):
                if self.is_face(imported):
                    found.append(f"{importer} imports {imported}: a service imports a face")
                elif not self.is_below(imported, importer, kinds):
                    found.append(f"{importer} imports {imported}: that stands above it")
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for line in check.metadata["found"]:
            output.print_error(line)

    def is_face(self, module: str) -> bool:
        return any(part in self.faces for part in module.split(".")[1:])

    def height(self, module: str, kinds: set[str]) -> int | None:
        """How high a service stands; None for what the rule does not bind."""
        if kind_of(module, kinds):
            return len(self.layers)
        root = module.split(".")[0]
        return self.layers.index(root) if root in self.layers else None

    def is_below(self, imported: str, importer: str, kinds: set[str]) -> bool:
        low, high = self.height(imported, kinds), self.height(importer, kinds)
        if low is None or high is None:
            return False  # the installation (config) knows the apps, and not the other way round
        same_kind = kind_of(imported, kinds) == kind_of(importer, kinds)
        return low < high or (low == high and same_kind)


def is_kind(module: str) -> bool:
    parts = module.split(".")
    return parts[0] == "processes" and len(parts) == 3 and parts[2] == "apps"


def kind_of(module: str, kinds: set[str]) -> str | None:
    return next((kind for kind in kinds if module == kind or module.startswith(kind + ".")), None)
