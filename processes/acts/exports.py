"""Taking cases away: asked for with a reason, made by workers, given to who still may, removed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import EmptyResultSet
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases import access
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed, Refused
from cases.models import Case, Client, Export, ExportCase, Person, Token
from processes.acts.clients import is_alive
from processes.callers import Caller, scopes_now
from processes.exports import formats, keeping, readlog
from processes.exports.gathering import PEOPLE
from timers import clock

CASE, CASES, LIST, EVERYTHING = WHAT = ("case", "cases", "list", "everything")
SEPARATORS = (",", ";", "\t")
REASON_CHARACTERS = 500
MOST_CASES = {"pdf": 1_000}  # by format; the others take any number


class ExportGone(Refused):
    """There is no file to give out: it is not made yet, failed, or was removed."""

    status = 410


def exportable(caller: Caller) -> QuerySet[Case]:
    """The cases that the caller may take away, as far as their token names the kinds."""
    return caller.narrowed(access.exportable_cases(caller.who), "read")


def options_of(given: dict[str, Any]) -> dict[str, Any]:
    """The choices of an export, checked. Raises Invalid."""
    people = given.get("people") or "names"
    separator = given.get("separator") or ","
    if people not in PEOPLE:
        raise Invalid(_("Staff are shown as names or as codes."), {"people": "names, codes"})
    if separator not in SEPARATORS:
        said = _("A comma, a semicolon or a tab.")
        raise Invalid(
            _("Columns are parted by a comma, a semicolon or a tab."), {"separator": said}
        )
    return {"people": people, "separator": separator, "bom": bool(given.get("bom", True))}


@transaction.atomic
def ask(
    *,
    caller: Caller,
    form: str,
    what: str,
    cases: QuerySet[Case],
    reason: str,
    told: str = "",
    options: dict[str, Any] | None = None,
    token: Token | None = None,
) -> Export:
    """Ask for a file of these cases, as far as the caller may take them away. Workers make it.
    Raises Invalid, NotAllowed."""
    reason = reason.strip()
    if form not in formats.formats():
        known = ", ".join(formats.formats())
        raise Invalid(_("There is no format “%(form)s”.") % {"form": form}, {"form": known})
    if not reason:
        said = _("Say why: it is kept with the export, and auditors read it.")
        raise Invalid(said, {"reason": said})
    if what == EVERYTHING and caller.person and not access.may(caller.person, "export everything"):
        raise NotAllowed(
            _("Everything is exported by auditors, and by people with the role “exporter”.")
        )
    export = Export.objects.create(
        client=caller.client,
        person=caller.person,
        token=token,
        scopes=caller.scopes,
        on_behalf=caller.on_behalf,
        form=form,
        options=options_of(options or {}),
        what=what,
        told=told[:400],
        reason=reason[:REASON_CHARACTERS],
        language=translation.get_language() or "",
        made_at=clock.now(),
        count=0,
    )
    export.count = _choose(export, exportable(caller) & cases)
    most = MOST_CASES.get(form)
    if not export.count:
        raise Invalid(_("There is no case among these that you may take away."))
    if most is not None and export.count > most:
        raise Invalid(
            _("This format takes %(most)s cases at most, and these are %(n)s. Choose fewer.")
            % {"most": most, "n": export.count}
        )
    if not export.told:
        export.told = ngettext("%(n)s case", "%(n)s cases", export.count) % {"n": export.count}
    export.save(update_fields=["count", "told"])
    return export


def _choose(export: Export, cases: QuerySet[Case]) -> int:
    """Write down which cases are in it, in one statement however many there are."""
    try:
        sql, values = cases.order_by().values("pk").distinct().query.sql_with_params()
    except EmptyResultSet:  # that there is none is known without a look
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO cases_exportcase (export_id, place, case_id) "
            f"SELECT %s, row_number() OVER (ORDER BY id), id FROM ({sql}) AS chosen (id)",
            [export.pk, *values],
        )
        return int(cursor.rowcount)


def exports_of(who: Person | Client) -> QuerySet[Export]:
    """The exports that somebody made; for auditors and administrators, those of everybody."""
    if isinstance(who, Client):
        return Export.objects.filter(client=who)
    if access.may(who, "see exports"):
        return Export.objects.all()
    return Export.objects.filter(person=who)


def is_own(export: Export, who: Person | Client) -> bool:
    """Whether somebody made this export: nobody else is given its file."""
    return export.client == who if isinstance(who, Client) else export.person == who


def done_of(export: Export) -> int:
    """How many cases are written."""
    last = export.parts.order_by("-last").first()
    return export.count if export.ended_at and not export.failed else (last.last if last else 0)


def caller_of(export: Export) -> Caller:
    """Who asked, with the rights of this moment. Raises NotAllowed."""
    now = Export.objects.select_related("client__team", "person__team", "token__bought_with").get(
        pk=export.pk
    )
    who = now.client or now.person
    assert who is not None  # a constraint of the table
    if not who.is_active:
        raise NotAllowed(_("%(who)s was ended after asking for the export.") % {"who": who})
    token = now.token
    if token is not None and (
        token.revoked_at is not None
        or (token.bought_with is not None and not is_alive(token.bought_with))
    ):
        raise NotAllowed(_("The token that the export was asked for with was revoked."))
    return Caller(who, scopes_now(who, now.scopes), now.on_behalf)


def require_all_seen(export: Export, caller: Caller) -> None:
    """Raise NotAllowed unless the caller may still take away every case that is in it."""
    lost = ExportCase.objects.filter(export=export).exclude(
        case__in=exportable(caller).values("pk")
    )
    count = lost.count()
    if count:
        raise NotAllowed(
            ngettext(
                "%(n)s case in it is no longer among those that you may take away. Ask for a new "
                "export of the others.",
                "%(n)s cases in it are no longer among those that you may take away. Ask for a new "
                "export of the others.",
                count,
            )
            % {"n": count}
        )


def give_out(*, export: Export, caller: Caller) -> File[bytes]:
    """The file, for whoever asked for it, while they may see all that is in it. Raises NotAllowed,
    ExportGone."""
    if not is_own(export, caller.who):
        raise NotAllowed(_("This export is somebody else's. Ask for one of your own."))
    if not caller.who.is_active:
        raise NotAllowed(_("This account was ended."))
    require_all_seen(export, caller)
    if export.state != "done":
        raise ExportGone(_gone(export))
    try:
        file = default_storage.open(export.path)
    except FileNotFoundError:
        raise ExportGone(_("The file is missing from storage. Ask for it again.")) from None
    readlog.note(export)
    return file


def _gone(export: Export) -> str:
    match export.state:
        case "waiting" | "running":
            return _("The file is not made yet.")
        case "failed":
            return _("There is no file: %(why)s") % {"why": export.failed}
        case "cancelled":
            return _("The export was cancelled.")
    return _("The file was removed. Ask for it again.")


@transaction.atomic
def cancel(*, export_id: int, actor: Actor) -> Export:
    """Stop making a file. Raises ExportGone, NotAllowed."""
    export = _locked(export_id, actor)
    if export.ended_at is not None:
        raise ExportGone(_("The export has ended; there is nothing to cancel."))
    export.cancelled_by, export.ended_at = actor.code, clock.now()
    export.save(update_fields=["cancelled_by", "ended_at"])
    transaction.on_commit(lambda: keeping.clear(export))
    return export


@transaction.atomic
def remove(*, export_id: int, actor: Actor) -> Export:
    """Take the file away before its time. That it was made stays. Raises ExportGone, NotAllowed."""
    export = _locked(export_id, actor)
    if export.state != "done":
        raise ExportGone(_gone(export))
    _remove(export, by=actor.code)
    return export


def _locked(export_id: int, actor: Actor) -> Export:
    export = Export.objects.select_for_update().get(pk=export_id)
    who = actor.person or actor.client
    manages = actor.person is not None and access.may(actor.person, "manage people")
    if who is None or not (is_own(export, who) or manages):
        raise NotAllowed(_("This export is somebody else's."))
    return export


def _remove(export: Export, *, by: str) -> None:
    export.removed_at, export.removed_by = clock.now(), by
    export.save(update_fields=["removed_at", "removed_by"])
    transaction.on_commit(lambda: keeping.clear(export))


def forget_old() -> int:
    """Remove the files whose time is over. Run by the timer service."""
    over = Export.objects.filter(removed_at=None, expires_at__lt=clock.now()).exclude(path="")
    count = 0
    for export in over[:100]:
        with transaction.atomic():
            _remove(export, by="engine")
        count += 1
    return count


def expiry() -> Any:
    """When a file that is made now is taken away."""
    return clock.now() + timedelta(days=settings.LONGCASE_EXPORT_DAYS)
