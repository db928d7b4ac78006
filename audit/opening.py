"""What is sealed in the text of an event, as readable text: for exports with readable data.

The format of boxes stands in audit/codec.py; this keeps the very spelling, which decoding would
not, so that a reader with the key can compare it with what is sealed.
"""

from __future__ import annotations

import re
from base64 import b64decode

from django.db import connection

from audit import keys, masters
from audit.keys import Destroyed

_FRONT = '{"$box":"'
_TAG = re.compile(r'\{"\$sealed(?:_value|_map|_list)?":(\d+)\}')
_NONCE_BYTES = 12


def open_text(case_id: int, number: int, text: str) -> str | None:
    """The text of an event's data with its personal values in their places; None where nothing is
    sealed, the key is destroyed, or the box is not this event's. Raises keys.NoKey."""
    if not text.startswith(_FRONT):
        return None
    end = text.index('"', len(_FRONT))
    head, _dot, box = text[len(_FRONT) : end].rpartition(".")
    if head != f"{case_id}.{number}":
        return None  # whoever checks the stored text finds it
    key = keys.opened(case_id)
    if isinstance(key, Destroyed):
        return None
    sealed = b64decode(box)
    content = key.cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], head.encode())
    lines = content.decode().split("\n")
    return _TAG.sub(lambda tag: lines[int(tag[1])], "{" + text[end + 2 :])


def data_key(case_id: int) -> bytes | None:
    """The key of a case itself, for an export that shows its data; None where it has none, or it
    is destroyed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT master, wrapped FROM audit_casekey WHERE case_id = %s", [case_id])
        row = cursor.fetchone()
    if row is None or row[1] is None:
        return None
    return masters.unwrap(row[0], bytes(row[1]), case_id=case_id)
