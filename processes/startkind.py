"""Begin a kind of one's own: a Django app that runs and passes its tests at once."""

from __future__ import annotations

import importlib.util
import keyword
import os
import re
import shutil
import tempfile
from pathlib import Path
from string import Template

from django.apps import apps

from cases.models import Case
from processes.engine import words
from processes.kinds import kinds

SKELETON = Path(__file__).parent / "skeleton"
CHECKOUT = Path(__file__).resolve().parents[1]
LONGEST = 30  # characters of a name; it is part of tables and constraints
PYTEST_INI = """\
# Run from the folder of Longcase: .venv/bin/python -m pytest THIS_FOLDER
# The kinds under test are the apps in this folder.
[pytest]
addopts = -p processes.testing --import-mode=importlib
pythonpath = .
"""

# Names that the files of a kind need for something else.
_RESERVED = (
    "activities any apps audit cases chance config days forms kind kinds letter letters messages "
    "migrations models pytest rules step steps test tests timers working_days"
)


class CannotStart(Exception):
    """This kind cannot be begun; the sentence says why, and what would work."""


def start(*, name: str, folder: Path, title: str = "", prefix: str = "") -> Path:
    """Write the app NAME into a folder, which need not exist. Returns the app's folder.

    Raises CannotStart before anything is written. Nothing is ever overwritten.
    """
    folder = folder.expanduser().resolve()
    package = _package_of(folder, name)
    _require_name(name)
    _require_free(name, folder)
    prefix = _prefix(name, prefix)
    words_ = title or name.replace("_", " ")
    values = {
        "name": name,
        "package": package,
        "Model": "".join(part.capitalize() for part in name.split("_")),
        "title": _within_a_sentence(words_),
        "Title": words_[:1].upper() + words_[1:],
        "PREFIX": prefix,
    }
    folder.mkdir(parents=True, exist_ok=True)
    half = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder))
    try:
        _write(half, values)
        half.chmod(0o755)
        os.rename(half, folder / name)  # all of it, or nothing
    except OSError as error:
        shutil.rmtree(half, ignore_errors=True)
        raise CannotStart(f"{folder / name} could not be written: {error}") from error
    if package == name and not _has_pytest(folder):
        (folder / "pytest.ini").write_text(PYTEST_INI)
    return folder / name


def _write(target: Path, values: dict[str, str]) -> None:
    for source in sorted(SKELETON.rglob("*-tpl")):
        path = source.relative_to(SKELETON)
        parts = list(path.parts)
        if parts[0] == "templates":
            parts.insert(1, values["name"])
        parts[-1] = parts[-1].removesuffix("-tpl").replace("test_kind", f"test_{values['name']}")
        into = target.joinpath(*parts)
        into.parent.mkdir(parents=True, exist_ok=True)
        into.write_text(Template(source.read_text()).substitute(values))


def _within_a_sentence(title: str) -> str:
    """“Site visit” as “a site visit”; “VAT refund” stays as it is."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def _require_name(name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        better = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_0123456789")
        hint = f" Perhaps {better}?" if better and better != name else ""
        raise CannotStart(
            f"“{name}” cannot be the name of a kind: small letters, digits and single underscores, "
            f"beginning with a letter, such as parking_permit.{hint}"
        )
    if len(name) > LONGEST:
        raise CannotStart(
            f"“{name}” has {len(name)} characters; the name of a kind has at most {LONGEST}. Its "
            "title may be longer: --title."
        )
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise CannotStart(f"“{name}” is a word of Python. Choose a noun, such as {name}_case.")
    if name in _RESERVED.split() or name in vars(words) or hasattr(Case, name):
        raise CannotStart(
            f"“{name}” means something else in the code of a kind. Choose a noun of your own, such "
            f"as {name}_case."
        )


def _require_free(name: str, folder: Path) -> None:
    if name in kinds():
        raise CannotStart(
            f"This installation has a kind “{name}” already ({kinds()[name].model.__module__}). "
            "Choose another name."
        )
    target = folder / name
    if target.exists():
        raise CannotStart(f"{target} exists already; nothing was written. Choose another name.")
    if folder.exists() and not folder.is_dir():
        raise CannotStart(f"{folder} is no folder. Choose another one: --at FOLDER.")
    if name in {config.label for config in apps.get_app_configs()}:
        raise CannotStart(f"This installation has an app “{name}” already. Choose another name.")
    if _is_module(name):
        raise CannotStart(
            f"Python knows a module “{name}” already, so an app of that name cannot be imported. "
            f"Choose another name, such as {name}_case."
        )


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _package_of(folder: Path, name: str) -> str:
    """The dotted name that an app in this folder has."""
    parts = [name]
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


def _prefix(name: str, wished: str) -> str:
    """Two to four capitals for references, such as LN in LN-2026-000123, that no kind has yet."""
    taken = {kind.prefix: kind.name for kind in kinds().values()}
    if wished:
        if not re.fullmatch(r"[A-Z]{2,4}", wished):
            raise CannotStart(f"The prefix “{wished}” is not two to four capital letters.")
        if wished in taken:
            raise CannotStart(f"The kind “{taken[wished]}” has the prefix {wished} already.")
        return wished
    letters = re.sub(r"[^A-Z]", "", name.upper()) + "XYZ"
    short = letters[0] + (re.sub(r"[AEIOU]", "", letters[1:]) or letters[1:])
    tries = [short[:2], letters[:2], short[:3], letters[:3], short[:4], letters[:4]]
    return next((one for one in tries if one not in taken), letters[:2] + "ZZ")


def _has_pytest(folder: Path) -> bool:
    """Whether pytest is told there already how to run."""
    if any((folder / name).exists() for name in ("pytest.ini", ".pytest.ini", "tox.ini")):
        return True
    project = folder / "pyproject.toml"
    return project.exists() and "[tool.pytest" in project.read_text()
