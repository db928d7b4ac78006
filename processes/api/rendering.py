"""JSON as it leaves: UTF-8, the same bytes for the same data."""

from __future__ import annotations

import json
from typing import Any

from rest_framework import renderers


def render(data: Any) -> bytes:
    return b"" if data is None else json.dumps(data, ensure_ascii=False).encode()


class JSON(renderers.BaseRenderer):
    """What every answer is written by; what it gets is plain already."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, media_type: Any = None, context: Any = None) -> bytes:
        return render(data)
