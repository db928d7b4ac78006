"""Numbers of bank accounts."""

from __future__ import annotations


def is_iban(text: str) -> bool:
    """Whether the check digits of an account number fit (ISO 13616)."""
    text = text.replace(" ", "").upper()
    if not (15 <= len(text) <= 34 and text.isascii() and text.isalnum() and text[:2].isalpha()):
        return False
    digits = "".join(str(int(sign, 36)) for sign in text[4:] + text[:4])
    return int(digits) % 97 == 1
