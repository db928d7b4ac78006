"""What differs by place comes from the environment, read once at start by these helpers.

Each helper fails with the name of the variable and what would be right, so that a wrong
installation stops at start and not at three in the morning.
"""

import base64
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

CHECKOUT = Path(__file__).resolve().parent.parent
TRUE_WORDS = {"1", "true", "yes", "on"}
FALSE_WORDS = {"0", "false", "no", "off", ""}


def text(name: str, default: str | None = None) -> str:
    """The variable as it stands. Without a default it must be set."""
    value = os.environ.get(name, "")
    if value:
        return value
    if default is None:
        raise ImproperlyConfigured(f"The environment variable {name} must be set.")
    return default


def flag(name: str, default: bool = False) -> bool:
    """Yes or no."""
    value = os.environ.get(name)
    if value is None:
        return default
    word = value.strip().lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def whole_number(
    name: str, default: int, *, least: int | None = None, most: int | None = None
) -> int:
    """A whole number within its limits."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from None
    if (least is not None and number < least) or (most is not None and number > most):
        low = "any" if least is None else str(least)
        high = "any" if most is None else str(most)
        raise ImproperlyConfigured(f"{name} must lie between {low} and {high}, not {number}.")
    return number


def words(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """A list, separated by commas."""
    value = os.environ.get(name, "")
    return [word.strip() for word in value.split(",") if word.strip()] or list(default)


def networks(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """Networks such as 10.1.0.0/16, separated by commas."""
    import ipaddress

    found = words(name, default)
    for word in found:
        try:
            ipaddress.ip_network(word, strict=False)
        except ValueError as error:
            raise ImproperlyConfigured(f"{name}: {word} is no network, as 10.1.0.0/16.") from error
    return found


def signing_keys(name: str) -> list[str]:
    """Secret keys of Ed25519 as 64 hexadecimal signs, separated by commas or in the lines of the
    file that NAME_FILE names. A wrong one is told by its place, never shown."""
    found = words(name)
    path = os.environ.get(f"{name}_FILE", "")
    if path:
        try:
            lines = Path(path).read_text(encoding="ascii").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ImproperlyConfigured(f"{name}_FILE: {path} cannot be read: {error}") from error
        found += [line.strip() for line in lines if line.strip() and line[0] != "#"]
    for place, word in enumerate(found, start=1):
        if not re.fullmatch(r"[0-9a-fA-F]{64}", word):
            raise ImproperlyConfigured(
                f"{name}: key {place} is not 64 hexadecimal signs (openssl rand -hex 32 makes one)."
            )
    return found


def kinds(name: str, shipped: tuple[str, ...]) -> list[str]:
    """The apps of the kinds that are installed, separated by commas.

    Each is a dotted name, or the folder of an app anywhere on this machine; `shipped` stands for
    those that come with Longcase.
    """
    found: list[str] = []
    for word in words(name, shipped):
        if word == "shipped":
            found += shipped
        elif "/" in word or word.startswith("~"):
            found.append(_app_in(name, Path(word).expanduser().resolve()))
        else:
            found.append(word)
    return list(dict.fromkeys(found))


def _app_in(name: str, folder: Path) -> str:
    """The app in a folder, made importable."""
    if not (folder / "apps.py").is_file():
        raise ImproperlyConfigured(
            f"{name}: {folder} is not the folder of a kind (it has no apps.py). Begin one with "
            f"manage.py startkind {folder.name} --at {folder.parent}"
        )
    if str(folder.parent) not in sys.path:
        sys.path.append(str(folder.parent))
    return folder.name


def master_keys(name: str, default: str = "") -> tuple[tuple[str, bytes], ...]:
    """Keys as `name:base64`, separated by commas or lines, the current one first.

    Those in the file that `NAME_FILE` names come first, for places that give secrets as files.
    """
    file = os.environ.get(f"{name}_FILE", "")
    try:
        found = Path(file).read_text(encoding="utf-8") if file else ""
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE cannot be read: {error}.") from error
    lines = f"{found}\n{os.environ.get(name, '')}".replace(",", "\n").splitlines()
    entries = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    keys: dict[str, bytes] = {}
    for place, entry in enumerate(entries or [default] if default else entries, start=1):
        known_as, _, spelling = entry.partition(":")
        try:
            key = base64.b64decode(spelling, validate=True)
        except ValueError:
            key = b""
        if not key or not re.fullmatch(r"[\w.-]{1,64}", known_as):
            raise ImproperlyConfigured(
                f"{name}: entry {place} is not as name:base64. `manage.py masterkey` makes one."
            )
        if keys.setdefault(known_as, key) != key:
            raise ImproperlyConfigured(f"{name}: two different keys are called {known_as}.")
    return tuple(keys.items())


def hours(name: str, default: str) -> tuple[str, str]:
    """Opening and closing time, as 09:00-17:00."""
    value = text(name, default)
    found = re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)", value)
    if not found or value[:5] >= value[6:]:
        raise ImproperlyConfigured(f"{name} must be as 09:00-17:00, not {value!r}.")
    return value[:5], value[6:]


def folder(name: str, default: Path) -> Path:
    """A folder, made absolute; it need not exist yet."""
    value = os.environ.get(name, "")
    return Path(value).expanduser().resolve() if value else default


def email(name: str, default: str) -> dict[str, Any]:
    """Django's mail settings from one address.

    `console:`, `memory:`, `folder:/path` (a file a mail), or `smtp://user:password@host:port`,
    with `smtp+tls://` for STARTTLS and `smtp+ssl://` for TLS from the first byte.
    """
    value = text(name, default)
    parts = urlsplit(value)
    backends = "django.core.mail.backends"
    if parts.scheme == "console":
        return {"EMAIL_BACKEND": f"{backends}.console.EmailBackend"}
    if parts.scheme == "memory":
        return {"EMAIL_BACKEND": f"{backends}.locmem.EmailBackend"}
    if parts.scheme == "folder" and parts.path.startswith("/"):
        return {
            "EMAIL_BACKEND": f"{backends}.filebased.EmailBackend",
            "EMAIL_FILE_PATH": unquote(parts.path),
        }
    if parts.scheme not in {"smtp", "smtp+tls", "smtp+ssl"} or not parts.hostname:
        raise ImproperlyConfigured(
            f"{name} must be console:, memory:, folder:/path, or "
            "smtp[+tls|+ssl]://user:password@host:port."
        )
    sender = parse_qs(parts.query).get("from", ["longcase@localhost"])[0]
    ports = {"smtp": 25, "smtp+tls": 587, "smtp+ssl": 465}
    return {
        "EMAIL_BACKEND": f"{backends}.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or ports[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtp+ssl",
        "EMAIL_TIMEOUT": 20,  # seconds
        "DEFAULT_FROM_EMAIL": sender,
    }


def data_folder() -> Path:
    """Where this installation keeps what must survive: database, documents, logs, its key.

    `LONGCASE_DATA_DIR`, else `var/` in the checkout. Postgres never runs as root, so when root
    starts an installation in a folder that nobody else may enter (such as root's home), the
    default is a system folder instead.
    """
    value = os.environ.get("LONGCASE_DATA_DIR", "")
    if value:
        return Path(value).expanduser().resolve()
    if os.name == "posix" and os.geteuid() == 0 and not open_to_all(CHECKOUT):
        name = str(CHECKOUT).strip("/").replace("/", "-") or "checkout"
        return Path("/var/lib/longcase") / name
    return CHECKOUT / "var"


def open_to_all(path: Path) -> bool:
    """Whether every user may enter this folder and all above it."""
    return all(part.stat().st_mode & 0o001 for part in [path, *path.parents] if part.exists())


def socket_folder(data: Path) -> Path:
    """The folder of the embedded database's socket: the only way in.

    A socket's path may have 107 bytes on Linux and 103 on macOS, so an installation deep in the
    tree gets a short one.
    """
    direct = data / "postgres" / "socket"
    if len(os.fsencode(direct)) + len("/.s.PGSQL.5432.lock") <= 103:
        return direct
    from hashlib import sha256

    mark = sha256(os.fsencode(data)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"longcase-{mark}"


def embedded_database_url(data: Path, *, user: str = "longcase", name: str = "longcase") -> str:
    """The address of the embedded database under this data folder, running or not."""
    from urllib.parse import quote

    return f"postgresql://{user}@/{name}?host={quote(str(socket_folder(data)))}"


def load_kept(data: Path, environ: dict[str, str] | os._Environ[str] = os.environ) -> None:
    """Take what `make up` keeps beside the embedded database (its key, that it is a demo).

    So that `manage.py` typed by hand meets the same installation. What the environment says
    wins, and with a `DATABASE_URL` nothing is taken: that is another installation.
    """
    if environ.get("DATABASE_URL"):
        return
    for name, value in read_kept(data).items():
        environ.setdefault(name, value)


def read_kept(data: Path) -> Mapping[str, str]:
    """The lines NAME=VALUE of the file that `make up` keeps; empty if there is none."""
    try:
        lines = (data / "environment").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}
    pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return {name.strip(): value.strip() for name, value in pairs}
