"""Anchors: where all histories ended, day by day, signed. They hold nothing about anyone, so
whoever may read with a token may keep them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from audit.bundle import anchor_record
from audit.models import Anchor
from processes.api.base import Api
from processes.api.pages import Order, PageQuery, page
from processes.api.parsing import query_of
from processes.api.schema import listed
from processes.plain import plain
from processes.proof import anchoring

_ORDERS = {"number": Order("")}


class SignatureShape(s.Serializer):
    key = s.CharField(help_text="The public key (Ed25519), hexadecimal.")
    signature = s.CharField(help_text="Of the bytes of `text`, hexadecimal.")


class StampShape(s.Serializer):
    authority = s.CharField()
    token = s.CharField(help_text="RFC 3161, DER in base64, over SHA-256 of `text`.")


class AnchorShape(s.Serializer):
    number = s.IntegerField()
    day = s.DateField()
    made_at = s.DateTimeField()
    text = s.CharField(help_text="What is signed, sign for sign: a JSON object.")
    signatures = SignatureShape(many=True)
    stamps = StampShape(many=True)


class KeyShape(s.Serializer):
    key = s.CharField(help_text="The public key (Ed25519), hexadecimal.")
    signs = s.BooleanField(help_text="Whether it signs now.")
    first_anchor = s.IntegerField(allow_null=True)
    last_anchor = s.IntegerField(allow_null=True)
    confirmed_by = s.CharField(help_text="The key before it, where that one signed beside it.")


class KeysShape(s.Serializer):
    keys = KeyShape(many=True)


def shape(anchor: Anchor) -> dict[str, Any]:
    return {
        "number": anchor.number,
        "day": plain(anchor.day),
        "made_at": plain(anchor.made_at),
        **anchor_record(anchor),
    }


class Anchors(Api):
    @extend_schema(
        operation_id="list_anchors",
        tags=["proof"],
        parameters=[PageQuery],
        responses={200: listed(AnchorShape)},
    )
    def get(self, request: Request) -> Response:
        """The anchors, the newest first: keep them where nobody of us can reach."""
        query_of(request, PageQuery)
        found = page(request, Anchor.objects.all(), "-number", _ORDERS)
        return Response(found.told([shape(one) for one in found.rows]))


class OneAnchor(Api):
    @extend_schema(operation_id="get_anchor", tags=["proof"], responses={200: AnchorShape})
    def get(self, request: Request, number: int) -> Response:
        """One anchor, as its file has it."""
        found = Anchor.objects.filter(number=min(number, 2**31 - 1)).first()
        if found is None:
            raise NotFound(_("There is no anchor %(n)s.") % {"n": number})
        return Response(shape(found))


class AnchorKeys(Api):
    @extend_schema(operation_id="list_anchor_keys", tags=["proof"], responses={200: KeysShape})
    def get(self, request: Request) -> Response:
        """The public keys that signed anchors, and the one that signs now; the newest first."""
        told = [
            {
                "key": one["key"],
                "signs": one.get("signs", False),
                "first_anchor": one.get("first_anchor"),
                "last_anchor": one.get("last_anchor"),
                "confirmed_by": one.get("confirmed_by", ""),
            }
            for one in anchoring.public_keys()
        ]
        return Response({"keys": told})
