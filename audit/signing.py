"""The keys by which anchors are signed: Ed25519, from the environment, never in the database.

`LONGCASE_ANCHOR_KEYS` holds secret keys as 64 hexadecimal signs each. The first one signs. Those
after it are older: the first anchor under a new key is signed by the one before it as well, which
is how a reader who trusts that one learns of the new. A key is known by its public half.
"""

from __future__ import annotations

from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings


class NoAnchorKey(Exception):
    """There is no key to sign with, or not the one that is needed."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    public: str  # 64 hexadecimal signs
    secret: Ed25519PrivateKey

    @classmethod
    def of(cls, words: str) -> SigningKey:
        """The key that is written so. Raises ValueError, without telling it."""
        try:
            seed = bytes.fromhex(words.strip())
        except ValueError:
            seed = b""
        if len(seed) != 32:
            raise ValueError("A signing key is 64 hexadecimal signs: openssl rand -hex 32")
        secret = Ed25519PrivateKey.from_private_bytes(seed)
        return cls(secret.public_key().public_bytes_raw().hex(), secret)

    def sign(self, content: bytes) -> str:
        return self.secret.sign(content).hex()


def signing_keys() -> list[SigningKey]:
    """The keys of this installation, the one that signs first; empty if it has none."""
    return [SigningKey.of(words) for words in settings.LONGCASE_ANCHOR_KEYS]


def is_signed(content: bytes, *, public: str, signature: str) -> bool:
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), content)
    except (ValueError, InvalidSignature):
        return False
    return True
