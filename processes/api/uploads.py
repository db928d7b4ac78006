"""Documents in parts, by the tus protocol 1.0: creation, expiration, checksum, termination.

https://tus.io/protocols/resumable-upload
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import tempfile
import uuid
from typing import IO, Any, ClassVar

from django.conf import settings
from django.http import UnreadablePostError
from django.utils.http import http_date
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound, UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from cases.errors import Refused
from cases.models import Upload
from processes.acts import uploads as acts
from processes.api.base import Api
from processes.api.parsing import unkept
from processes.api.problems import HeaderInvalid
from processes.plain import plain

VERSION = "1.0.0"
MEDIA_TYPE = "application/offset+octet-stream"
ALGORITHMS = {"sha256": hashlib.sha256, "sha1": hashlib.sha1}
PIECE = 64 * 1024
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}\Z")
_NUMBER = re.compile(r"[0-9]{1,15}\Z")
_TUS = {
    "Tus-Resumable": VERSION,
    "Tus-Version": VERSION,
    "Tus-Extension": "creation,expiration,checksum,termination",
    "Tus-Checksum-Algorithm": ",".join(ALGORITHMS),
}


class OtherVersion(Refused):
    """The caller speaks no tus, or another version of it."""

    status = 412


class ChecksumMismatch(Refused):
    """The bytes of a part are not those that were sent."""

    status = 460


def _header(name: str, about: str, *, must: bool = True, **more: Any) -> Any:

    return OpenApiParameter(
        name, OpenApiTypes.STR, "header", required=must, description=about, **more
    )


RESUMABLE = _header("Tus-Resumable", "The version of tus.", enum=[VERSION])


class UploadShape(s.Serializer):
    """A document on its way, and how much of it is kept."""

    case = s.CharField()
    name = s.CharField()
    filename = s.CharField()
    size = s.IntegerField()
    offset = s.IntegerField(help_text="Bytes that are kept; the next part begins there.")
    ends_at = s.DateTimeField(help_text="Dropped then, unless another part comes.")
    document = s.IntegerField(allow_null=True, help_text="Its number, when all of it is here.")


class AnyBytes(BaseParser):
    """Leaves the body for the view to read, as it comes."""

    media_type = MEDIA_TYPE

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return {}


class Tus(Api):
    """What all calls of the protocol have in common."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.told |= {**_TUS, "Tus-Max-Size": str(settings.LONGCASE_UPLOAD_BYTES)}
        said = request.headers.get("Tus-Resumable", "")
        if said != VERSION and request.method not in ("GET", "OPTIONS"):
            raise OtherVersion(
                _("Send Tus-Resumable: %(version)s; this is the tus protocol of uploads.")
                % {"version": VERSION}
            )

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(status=204)


class CaseUploads(Tus):
    acts: ClassVar = {"GET": "documents", "POST": "documents"}

    @extend_schema(
        operation_id="begin_upload",
        tags=["documents"],
        request=None,
        parameters=[
            RESUMABLE,
            _header("Upload-Length", "Bytes of the whole document.", pattern="^[0-9]{1,15}$"),
            _header("Upload-Metadata", "name and filename, each with its value in base64."),
        ],
        responses={201: UploadShape},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Begin to hand in a large document in parts; `Location` is where they go (tus 1.0)."""
        return self.once(lambda: self._begin(reference))

    def _begin(self, reference: str) -> Response:
        size = _number(self.request, "Upload-Length")
        said = metadata_of(self.request)
        case = self.changed(reference)
        upload = acts.begin_upload(
            case_id=case.pk,
            name=said["name"],
            filename=said.get("filename", said["name"]),
            size=size,
            actor=self.caller.actor,
        )
        headers = {"Location": f"/api/v1/uploads/{upload.key}", **_headers(upload)}
        return Response(told(upload), status=201, headers=headers)


class OneUpload(Tus):
    acts: ClassVar = {"GET": "documents", "PATCH": "documents", "DELETE": "documents"}
    parser_classes = (AnyBytes,)

    @extend_schema(operation_id="read_upload", tags=["documents"], responses={200: UploadShape})
    def get(self, request: Request, key: uuid.UUID) -> Response:
        """How much of a document is here. HEAD tells it in headers, as tus has it."""
        upload = self.upload(key)
        return Response(told(upload), headers=_headers(upload))

    @extend_schema(
        operation_id="continue_upload",
        tags=["documents"],
        request={MEDIA_TYPE: OpenApiTypes.BINARY},
        parameters=[
            RESUMABLE,
            _header("Upload-Offset", "Where the part begins.", pattern="^[0-9]{1,15}$"),
            _header("Upload-Checksum", "sha256 or sha1, and the digest in base64.", must=False),
        ],
        responses={204: None},
    )
    def patch(self, request: Request, key: uuid.UUID) -> Response:
        """Hand in the next part. The last one makes the document."""
        if request.content_type != MEDIA_TYPE:
            raise UnsupportedMediaType(str(request.content_type))
        offset, wanted = _number(request, "Upload-Offset"), checksum_of(request)
        upload = self.upload(key)
        if upload.document_id is None:
            acts.require_offset(upload, offset)
        with tempfile.TemporaryFile() as part:
            is_whole = _copy(request, part, most=max(0, upload.size - offset) + 1)
            if wanted is not None:
                _require_sum(part, wanted) if is_whole else part.truncate(0)
            held = acts.add_part(upload=upload, offset=offset, part=part, actor=self.caller.actor)
        return Response(status=204, headers=_headers(held))

    @extend_schema(
        operation_id="end_upload",
        tags=["documents"],
        request=None,
        parameters=[RESUMABLE],
        responses={204: None},
    )
    def delete(self, request: Request, key: uuid.UUID) -> Response:
        """Drop what came so far of a document."""
        acts.end_upload(self.upload(key))
        return Response(status=204)

    def upload(self, key: uuid.UUID) -> Upload:
        """An upload of this caller, to a case that they may still hand documents in to."""
        found = Upload.objects.filter(key=key, caller=self.caller.code).select_related("case")
        upload = found.filter(case__in=self.caller.cases("documents")).first()
        if upload is None:
            raise NotFound(_("There is no such upload of yours."))
        self.subject = upload.case_id
        return upload


def told(upload: Upload) -> dict[str, Any]:
    return {
        "case": upload.case.reference,
        "name": upload.name,
        "filename": upload.filename,
        "size": upload.size,
        "offset": upload.offset,
        "ends_at": plain(upload.ends_at),
        "document": upload.document_id,
    }


def _headers(upload: Upload) -> dict[str, str]:
    return {
        "Upload-Offset": str(upload.offset),
        "Upload-Length": str(upload.size),
        "Upload-Expires": http_date(upload.ends_at.timestamp()),
    }


def _number(request: Request, name: str) -> int:
    said = request.headers.get(name, "")
    if not _NUMBER.match(said):
        sentence = _("%(header)s is a number of bytes.") % {"header": name}
        raise HeaderInvalid(sentence, {name: sentence})
    return int(said)


def metadata_of(request: Request) -> dict[str, str]:
    """The names and texts of Upload-Metadata; `name` is the document that is asked for."""
    found: dict[str, str] = {}
    for pair in request.headers.get("Upload-Metadata", "").split(","):
        name, _blank, value = pair.strip().partition(" ")
        try:
            found[name] = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, ValueError):
            found[name] = "\0"
    wrong = next((name for name, text in found.items() if unkept(text)), None)
    if wrong is not None or not _NAME.match(found.get("name", "")):
        sentence = _(
            "Upload-Metadata is “name BASE64,filename BASE64”; name is the document that is asked "
            "for, as payslip, or other."
        )
        raise HeaderInvalid(sentence, {"Upload-Metadata": sentence})
    return found


def checksum_of(request: Request) -> tuple[str, bytes] | None:
    said = request.headers.get("Upload-Checksum")
    if said is None:
        return None
    name, _blank, value = said.partition(" ")
    try:
        digest = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        digest = b""
    if name not in ALGORITHMS or not digest:
        sentence = _("Upload-Checksum is one of %(names)s, and the digest in base64.") % {
            "names": ", ".join(ALGORITHMS)
        }
        raise HeaderInvalid(sentence, {"Upload-Checksum": sentence})
    return name, digest


def _require_sum(part: IO[bytes], wanted: tuple[str, bytes]) -> None:
    part.seek(0)
    found = ALGORITHMS[wanted[0]]()
    while piece := part.read(PIECE):
        found.update(piece)
    if not hmac.compare_digest(found.digest(), wanted[1]):
        raise ChecksumMismatch(_("The part is not as it was sent. Send it again."))


def _copy(request: Request, part: IO[bytes], *, most: int) -> bool:
    """Take the bytes as they come. False when the line broke: what came until then counts."""
    left = most
    try:
        while left and (piece := request._request.read(min(PIECE, left))):
            part.write(piece)
            left -= len(piece)
    except UnreadablePostError:
        return False
    said = request.headers.get("Content-Length", "")
    return not said.isdecimal() or most - left >= min(int(said), most)
