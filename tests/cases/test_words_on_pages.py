"""No page of any case of any kind shows a name of the code, nor the English of two words put side
by side. It walks the demo, in which the cases of each kind stand at every turn."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from django.test import Client

from cases.models import Case, Person, Task
from processes.kinds import kinds
from tests.sizes import sized

pytestmark = pytest.mark.django_db(transaction=True)

# What people or files call so themselves, and what is shown as code because it is code.
_NO_WORDS = re.compile(r"<(code|pre|script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)
_OF_OTHERS = re.compile(r"https?://\S+|\S+@\S+|\S+\.(txt|pdf|png)\b")
SUSPECT = {
    "a name of the code": re.compile(r"\b[a-z]+_[a-z_]+\b"),
    "a dotted name": re.compile(r"\b[a-z]+\.[A-Za-z_]+[.(\[]"),
    "an actor": re.compile(r"\b(person|party|service|engine):\w+"),
    "a value of Python": re.compile(r"\b(None|True|False)\b(?! of)|\bDecimal\(|\{\w*\}|\['"),
    "two articles": re.compile(r"\b(the|a|an) (the|a|an|those|whoever)\b", re.IGNORECASE),
    "a sentence that ends twice": re.compile(r"[.!?]\.(?!\.)"),
    "a missing word": re.compile(r"“”|\(\)| ,|: \."),
}
# Headings that are such words, and mean them.
MEANT = ("Step deadline\nNone\n",)


def visible(page: str) -> str:
    """What is read of a page's main part: lines without marks."""
    main = page.partition("<main")[2].partition("</main>")[0]
    text = html.unescape(_NO_WORDS.sub("\n", main))
    lines = "\n".join(filter(None, (line.strip() for line in text.splitlines())))
    for one in MEANT:
        lines = lines.replace(one, "")
    return _OF_OTHERS.sub("", lines)


def wrong_words(address: str, *readers: Client) -> Iterator[str]:
    """What is wrong with the page, as the first of these people reads it who may."""
    answers = (client.get(address) for client in readers)
    answer = next((one for one in answers if one.status_code == 200), None)
    assert answer is not None, f"nobody may read {address}"
    text = visible(answer.content.decode())
    for what, pattern in SUSPECT.items():
        for found in pattern.finditer(text):
            around = text[max(found.start() - 40, 0) : found.end() + 40].replace("\n", " · ")
            yield f"{address}: {what}: {around}"


CASES_A_STEP = sized(1, 3)


def addresses() -> Iterator[str]:
    seen: Counter[tuple[str, str]] = Counter()
    for case in Case.objects.order_by("-pk"):
        seen[case.kind, case.step] += 1
        if seen[case.kind, case.step] > CASES_A_STEP:
            continue
        for tab in ("", "reviews/", "steps/", "documents/", "history/", "history/?show=all"):
            yield f"{case.get_absolute_url()}{tab}"
    for kind in kinds():
        yield f"/processes/{kind}/"
    yield "/cases/"


def test_pages_of_all_kinds_speak_to_people(demo: None) -> None:
    told = set(Case.objects.values_list("kind", flat=True))
    assert told >= {"loan", "permit", "claim", "onboarding", "owner", "enforcement"}
    auditor = Client()
    auditor.force_login(Person.objects.get(username="nadia"))
    found = [wrong for address in addresses() for wrong in wrong_words(address, auditor)]

    # And so do the tasks, to those who may take them.
    for task in Task.objects.filter(state="open").order_by("pk"):
        of_the_role = []
        for person in Person.objects.filter(groups__name=task.role).order_by("pk"):
            of_the_role.append(Client())
            of_the_role[-1].force_login(person)
        found += wrong_words(task.get_absolute_url(), *of_the_role)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Drafted by person:24", "an actor"),
        ("Parts over_permit", "a name of the code"),
        ("Waiting for the those concerned", "two articles"),
        ("Waits for rules.ROLE_OF[step]", "a dotted name"),
        ("Hits , Is exposed no", "a missing word"),
    ],
)
def test_the_test_would_notice(text: str, what: str) -> None:
    assert SUSPECT[what].search(visible(f"<main><p>{text}</p></main>"))
