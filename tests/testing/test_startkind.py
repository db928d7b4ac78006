"""`manage.py startkind`: what it writes runs at once, anywhere, and nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from processes.startkind import CannotStart, start
from tests.testing import outside


@pytest.mark.slow
def test_a_new_kind_passes_its_tests_and_all_checks(tmp_path: Path) -> None:
    # Given a kind in an organisation's own folder
    own = tmp_path / "own"
    said = outside.manage("startkind", "parking_permit", "--at", str(own), home=tmp_path)
    assert f"-m pytest {own}" in said and f"LONGCASE_KINDS=shipped,{own}/parking_permit" in said

    # When its tests run as they are, and each transition must have been taken
    report = outside.pytest(str(own), "-n", "0", "--transitions=require", home=tmp_path, fails=True)

    # Then all pass, the kit was at work, and the one thing left open is named
    assert " passed" in report and "failed" not in report
    assert "parking_permit: transition withdraw, to withdrawn (from received, review)" in report

    # And its migration is what Django would write, its graph and code are sound, and it is linted
    installed = {"LONGCASE_KINDS": f"shipped,{own}/parking_permit"}
    check = ("makemigrations", "--check", "--dry-run")
    assert "No changes" in outside.manage(*check, home=tmp_path, **installed)
    sound = outside.manage("check", "--fail-level", "WARNING", home=tmp_path, **installed)
    assert "no issues" in sound
    outside.run("-m", "ruff", "check", "--no-cache", str(own), home=tmp_path)


def test_it_is_an_app_of_the_package_it_is_put_into(tmp_path: Path) -> None:
    package = tmp_path / "acme"
    package.mkdir()
    (package / "__init__.py").touch()
    made = start(name="grant", folder=package)
    assert 'name = "acme.grant"' in (made / "apps.py").read_text()
    assert "from acme.grant import messages" in (made / "steps.py").read_text()
    assert not (package / "pytest.ini").exists()


def test_a_title_is_small_within_a_sentence(tmp_path: Path) -> None:
    site = start(name="inspection", folder=tmp_path, title="Site visit")
    assert 'verbose_name = _("site visit")' in (site / "models.py").read_text()
    assert 'title=_("Site visit")' in (site / "steps.py").read_text()
    vat = start(name="refund", folder=tmp_path, title="VAT refund")
    assert 'verbose_name = _("VAT refund")' in (vat / "models.py").read_text()


def test_it_is_run_beside_all_kinds_that_are_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LONGCASE_KINDS", "shipped,/own/grant")
    call_command("startkind", "inspection", at=str(tmp_path))
    said = capsys.readouterr().out
    assert f"LONGCASE_KINDS=shipped,/own/grant,{tmp_path}/inspection make up" in said


def test_it_overwrites_nothing(tmp_path: Path) -> None:
    # Given a folder with tests of its own and one kind
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    made = start(name="grant", folder=tmp_path)
    (made / "steps.py").write_text("# mine\n")

    # When the same kind is begun again
    with pytest.raises(CannotStart, match="exists already; nothing was written"):
        start(name="grant", folder=tmp_path)

    # Then all is as it was
    assert (made / "steps.py").read_text() == "# mine\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["grant", "pyproject.toml"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Grant", "Perhaps grant?"),
        ("parking-permit", "Perhaps parking_permit?"),
        ("2grant", "cannot be the name"),
        ("grant_", "cannot be the name"),
        ("aid/../grant", "Perhaps aid_grant?"),
        ("größe", "cannot be the name"),
        ("", "cannot be the name"),
        ("x" * 31, "at most 30"),
        ("class", "a word of Python"),
        ("match", "a word of Python"),
        ("message", "means something else"),  # a word of steps
        ("rules", "means something else"),  # a file of each kind
        ("owner", "means something else"),  # a column of each case
        ("loan", "has a kind “loan” already"),
        ("auth", "has an app “auth” already"),
        ("json", "Python knows a module “json”"),
    ],
)
def test_a_name_that_would_not_work_is_refused_with_what_would(
    tmp_path: Path, name: str, words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("startkind", name, at=str(tmp_path / "own"))
    assert not (tmp_path / "own").exists()


def test_references_get_a_prefix_that_no_kind_has(tmp_path: Path) -> None:
    def prefix(name: str) -> str:
        steps = (start(name=name, folder=tmp_path) / "steps.py").read_text()
        return steps.partition('prefix="')[2].partition('"')[0]

    assert prefix("grant") == "GR"
    assert prefix("lane") != "LN"
    with pytest.raises(CannotStart, match="has the prefix LN already"):
        start(name="other", folder=tmp_path, prefix="LN")
    with pytest.raises(CannotStart, match="two to four capital letters"):
        start(name="other", folder=tmp_path, prefix="x")
