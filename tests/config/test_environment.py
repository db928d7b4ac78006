"""Values of the environment: typed, and refused by name."""

import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment


@pytest.mark.parametrize("word, meant", [("1", True), ("Yes", True), ("0", False), ("", False)])
def test_a_flag_is_yes_or_no(monkeypatch: pytest.MonkeyPatch, word: str, meant: bool) -> None:
    monkeypatch.setenv("LONGCASE_X", word)
    assert environment.flag("LONGCASE_X", default=not meant) is meant


def test_what_is_missing_or_wrong_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LONGCASE_X", raising=False)
    with pytest.raises(ImproperlyConfigured, match="LONGCASE_X must be set"):
        environment.text("LONGCASE_X")
    monkeypatch.setenv("LONGCASE_X", "maybe")
    with pytest.raises(ImproperlyConfigured, match="LONGCASE_X must be 1 or 0"):
        environment.flag("LONGCASE_X")
    with pytest.raises(ImproperlyConfigured, match="LONGCASE_X must be a whole number"):
        environment.whole_number("LONGCASE_X", 1)
    with pytest.raises(ImproperlyConfigured, match="LONGCASE_X must be console:"):
        environment.email("LONGCASE_X", "console:")
    monkeypatch.setenv("LONGCASE_X", "70000")
    with pytest.raises(ImproperlyConfigured, match="LONGCASE_X must lie between"):
        environment.whole_number("LONGCASE_X", 1, least=1, most=65535)
    monkeypatch.setenv("LONGCASE_X", "17:00-09:00")
    with pytest.raises(ImproperlyConfigured, match="LONGCASE_X must be as 09:00-17:00"):
        environment.hours("LONGCASE_X", "09:00-17:00")


def test_mail_from_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMAIL_URL", "smtp+tls://me%40here:p%2Fw@mail.example:2525")
    mail = environment.email("EMAIL_URL", "console:")
    assert (mail["EMAIL_HOST"], mail["EMAIL_PORT"]) == ("mail.example", 2525)
    assert (mail["EMAIL_HOST_USER"], mail["EMAIL_HOST_PASSWORD"]) == ("me@here", "p/w")
    assert mail["EMAIL_USE_TLS"] and not mail["EMAIL_USE_SSL"]
    monkeypatch.setenv("EMAIL_URL", "folder:/var/my%20mail")
    assert environment.email("EMAIL_URL", "console:")["EMAIL_FILE_PATH"] == "/var/my mail"


def test_what_is_kept_never_meets_another_database(tmp_path: Path) -> None:
    (tmp_path / "environment").write_text("# kept\nLONGCASE_DEMO=1\nA=b=c\n")
    embedded = {"A": "own"}
    environment.load_kept(tmp_path, embedded)
    assert embedded == {"A": "own", "LONGCASE_DEMO": "1"}
    other = {"DATABASE_URL": "postgresql://elsewhere/x"}
    environment.load_kept(tmp_path, other)
    assert "LONGCASE_DEMO" not in other


def test_kinds_are_named_or_are_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.path", [])
    kind = tmp_path / "grant"
    kind.mkdir()
    monkeypatch.setenv("LONGCASE_KINDS", f"shipped, acme.permit, {kind}")
    with pytest.raises(ImproperlyConfigured, match="startkind grant --at"):
        environment.kinds("LONGCASE_KINDS", ("processes.loan",))
    (kind / "apps.py").touch()
    found = environment.kinds("LONGCASE_KINDS", ("processes.loan",))
    assert found == ["processes.loan", "acme.permit", "grant"]
    assert sys.path == [str(tmp_path)]
    monkeypatch.delenv("LONGCASE_KINDS")
    assert environment.kinds("LONGCASE_KINDS", ("processes.loan",)) == ["processes.loan"]
