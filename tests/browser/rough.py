"""An installation on a bad day: strings that hurt, files that are gone, faults, much of everything.

All of it comes in by the acts that people and programs have; only what they refuse is put there by
hand, as an older release might have left it.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from cases.actors import Actor
from cases.models import Case, Message, Person, SavedList, Team
from processes.acts.absences import enter_absence
from processes.acts.clients import issue_token, make_client
from processes.acts.jobs import Asked, accept_job
from processes.acts.letters import write_letter
from processes.acts.notes import add_note
from processes.acts.webhooks import make_webhook, pause_webhook
from processes.callers import Caller
from processes.letters import Correspondent
from processes.storing import path_of
from timers import clock

UNBROKEN = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz" * 3
TURNED = "مخبز الحرتوق \u202eBAKERY\u202c 面包店 🥖" * 3
MARKED = "<img src=x onerror=alert(1)>\"'&amp;{{7*7}}"
LINES = "\n".join(f"  File “/srv/{UNBROKEN}/{n}.py”, line {n}, in {UNBROKEN}" for n in range(20))


def make_rough(desk: Any, settings: Any, boss: Person) -> Case:
    """Cases, work, files and accounts that are hard to show. Returns the fullest case."""
    sanne, petra = desk.people.sanne, desk.people.petra
    Team.objects.filter(pk=sanne.team_id).update(name=UNBROKEN[:63])
    type(sanne).objects.filter(pk=sanne.pk).update(first_name=TURNED[:60], last_name=UNBROKEN[:63])
    sanne.refresh_from_db()
    actor = Actor.of(sanne)

    full = desk.open("patience", title=UNBROKEN[:200], result=MARKED)
    desk.send_document(full, "passport", f"{UNBROKEN}.pdf"[-180:])
    gone = desk.send_document(full, "passport", f"{MARKED.replace('/', '')}.pdf")
    (Path(settings.MEDIA_ROOT) / path_of(gone.digest)).unlink()
    for number in range(120):
        add_note(
            case_id=full.pk, text=f"{number} {(UNBROKEN, TURNED, MARKED)[number % 3]}", actor=actor
        )
    to = Correspondent(name=UNBROKEN[:120], email=f"{'x' * 60}@{'y' * 60}.example")
    write_letter(case_id=full.pk, to=to, subject=UNBROKEN[:150], text=LINES, actor=actor)
    letter = Correspondent(name=TURNED, email="")
    write_letter(case_id=full.pk, to=letter, subject=MARKED, text=TURNED, actor=actor)

    for title in (TURNED[:200], MARKED, "x"):
        for script in ("review", "staff", "broken_once"):
            desk.open(script, title=title)
    for title in (UNBROKEN[:200], MARKED):
        desk.stop(title)
    for number in range(60):
        desk.open("nap", title=f"{UNBROKEN[: number + 20]} {number}")
    desk.engine.advance(days=30)

    for number, text in enumerate((UNBROKEN, TURNED, MARKED)):
        Message.objects.create(
            source=f"{UNBROKEN[:60]}{number}",
            key=text[:200],
            name=f"m{number}_{UNBROKEN[:60]}",
            to=text[:200],
            data={text: [text, {"deep": [None, [], {}, 10**30, text]}], "subject": text},
            digest="x",
            actor="service:gone",
            state="unmatched",
            why=LINES,
            received_at=clock.now(),
        )
    SavedList.objects.create(
        owner=sanne,
        name=UNBROKEN[:60],
        page="cases",
        query="kind=gone&step=none",
        saved_at=clock.now(),
    )
    today = clock.now().date()
    enter_absence(
        person=petra,
        from_date=today,
        until_date=today + timedelta(days=400),
        actor=Actor.of(petra),
        substitute=None,
        reason=UNBROKEN,
    )
    _programs(full, Actor.of(boss))
    return full


def _programs(case: Case, boss: Actor) -> None:
    client = make_client(
        name="x" * 60, title=UNBROKEN[:120], scopes=["read:*", "open:*", "messages:*"], actor=boss
    )
    row, _secret = issue_token(actor=boss, client=client)
    issue_token(
        actor=Actor.of(case.owner), person=case.owner, title=UNBROKEN[:80], scopes=["read:*"]
    )
    hook = make_webhook(
        client=client, url=f"https://hooks.example/{'x' * 190}", title=MARKED, actor=boss
    )
    pause_webhook(webhook_id=hook.pk, actor=boss, why=LINES)
    make_webhook(client=client, url="https://hooks.example/", title="", actor=boss)
    wrong = [{"pointer": f"/{UNBROKEN}", "detail": MARKED}]
    accept_job(
        caller=Caller(client, None),
        token=row,
        rows=[Asked(n, {"kind": "trial", "name": UNBROKEN}, wrong) for n in range(1, 40)],
        filename=f"{UNBROKEN}.csv",
        digest="d",
    )
