"""The bytes of erased documents: deleted unless a case that is not erased still has them.

Work that is found again: a certificate whose files are not gone stands in an index, and whoever
comes by goes on with it. Each digest is deleted under a lock that whoever stores the same bytes
for another case takes too.
"""

from __future__ import annotations

import logging

from django.core.files.storage import default_storage
from django.db import transaction

from cases.models import Document, Erasure, Message
from processes.previews import MOST_PAGES, preview_path
from processes.storing import lock_bytes, path_of
from timers import clock

log = logging.getLogger("longcase.erasing")

BATCH = 50


def delete_left() -> int:
    """A sweep: delete what erased cases left in storage. Returns how many certificates are done."""
    left = Erasure.objects.filter(files_gone_at=None).order_by("pk")
    done = 0
    for pk in list(left.values_list("pk", flat=True)[:BATCH]):
        try:
            done += delete_files(pk)
        except OSError as error:  # storage is away: the next round tries again
            log.warning("files_not_deleted", extra={"erasure": pk, "error": type(error).__name__})
    return done


def delete_files(erasure_id: int) -> bool:
    """Delete what only this erased case had. Safe to repeat, and to break off."""
    with transaction.atomic():
        rows = Erasure.objects.select_for_update(skip_locked=True, of=("self",))
        certificate = rows.filter(pk=erasure_id, files_gone_at=None).first()
        if certificate is None:
            return False  # done, or another is at it
        certificate.files = {digest: _delete(digest) for digest in certificate.digests}
        for path in certificate.paths:
            default_storage.delete(path)
        certificate.files_gone_at = clock.now()
        certificate.save(update_fields=["files", "files_gone_at"])
    return True


def _delete(digest: str) -> str:
    """What became of these bytes: deleted, shared with a case that is kept, or gone before."""
    lock_bytes(digest, alone=True)
    if Document.objects.filter(digest=digest, case__erased_at=None).exists():
        return "shared"
    if Message.objects.filter(data__contains=digest).exists():
        return "shared"  # a file in the tray, of which nobody made a document yet
    path = path_of(digest)
    was_there = default_storage.exists(path)
    default_storage.delete(path)
    for number in range(1, MOST_PAGES + 1):
        default_storage.delete(preview_path(digest, number))
    return "deleted" if was_there else "missing"
