"""The master keys of the installation, which wrap the data keys of its cases.

They come from the environment and are never stored with the data. The first one is the current
one, under which new keys are wrapped; the others open what was wrapped before. Where a key service
holds them (a KMS, an HSM), the environment has them in its wrapping, and a class of yours takes
that off: `LONGCASE_KEY_SERVICE="yours.Class"`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.utils.module_loading import import_string

KEY_BYTES = 32
NONCE_BYTES = 12


class KeyService(Protocol):
    """What holds the keys that wrap the master keys. Asked once a process for each."""

    def wrap(self, name: str, key: bytes) -> bytes: ...

    def unwrap(self, name: str, wrapped: bytes) -> bytes: ...


class NoMasterKey(RuntimeError):
    """This process has not the master key that it needs."""


def current() -> str:
    """The name of the key that wraps new ones. Raises NoMasterKey where there is none."""
    if not settings.LONGCASE_MASTER_KEYS:
        raise NoMasterKey(
            "There is no master key, so no personal text can be recorded or read. Set "
            "LONGCASE_MASTER_KEYS; `manage.py masterkey` makes a key (docs/running.md)."
        )
    name: str = settings.LONGCASE_MASTER_KEYS[0][0]
    return name


def names() -> list[str]:
    return [name for name, _ in settings.LONGCASE_MASTER_KEYS]


def wrap(key: bytes, *, case_id: int) -> tuple[str, bytes]:
    """The current master key's name, and this data key in its wrapping."""
    name = current()
    nonce = os.urandom(NONCE_BYTES)
    return name, nonce + _cipher(name).encrypt(nonce, key, _bound_to(case_id))


def unwrap(name: str, wrapped: bytes, *, case_id: int) -> bytes:
    """The data key of a case. Raises NoMasterKey for one that this process does not have."""
    try:
        return _cipher(name).decrypt(
            wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], _bound_to(case_id)
        )
    except InvalidTag:
        raise NoMasterKey(
            f"The master key “{name}” does not open the key of case {case_id}: it is another key "
            "of that name, or the row was tampered with."
        ) from None


def service() -> KeyService | None:
    """The installation's key service, where it has one."""
    path = settings.LONGCASE_KEY_SERVICE
    return import_string(path)() if path else None


def _bound_to(case_id: int) -> bytes:
    return b"longcase key of case %d" % case_id


def _cipher(name: str) -> AESGCM:
    for known, text in settings.LONGCASE_MASTER_KEYS:
        if known == name:
            return _opened(name, text, settings.LONGCASE_KEY_SERVICE)
    raise NoMasterKey(
        f"The master key “{name}” is not among LONGCASE_MASTER_KEYS "
        f"({', '.join(names()) or 'none'}). Texts that it wraps cannot be read without it."
    )


@lru_cache(maxsize=64)
def _opened(name: str, stored: bytes, path: str) -> AESGCM:
    key = stored if not path else import_string(path)().unwrap(name, stored)
    if len(key) != KEY_BYTES:
        raise NoMasterKey(f"The master key “{name}” has {len(key)} bytes; {KEY_BYTES} are needed.")
    return AESGCM(key)
