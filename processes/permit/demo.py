"""The demo's permits: one at each turn that a permit can take, its term in every state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.files.base import ContentFile

from cases.actors import Actor, party, service
from cases.models import Case, Person, Task
from processes.acts.cases import move_case, open_case
from processes.acts.documents import receive_document
from processes.acts.messages import deliver_message
from processes.acts.tasks import claim_task, complete_task
from processes.permit.papers import AUTHORITY, CASEWORKER, EXPERT, REVIEWER
from processes.standins import World
from processes.stories import Story, live_through

TEAM = "Permits"
PEOPLE: list[tuple[str, str, str, str, list[str]]] = [
    ("ruben", "Ruben", "Hoekstra", TEAM, [CASEWORKER]),
    ("anouk", "Anouk", "Visser", TEAM, [CASEWORKER]),
    ("hans", "Hans", "Jansen", TEAM, [REVIEWER]),
    ("eva", "Eva", "Demir", TEAM, [EXPERT]),
    ("tom", "Tom", "van Dam", TEAM, [AUTHORITY]),
    ("carla", "Carla", "Mulder", TEAM, [AUTHORITY]),
]
BY_ROLE = {CASEWORKER: "anouk", REVIEWER: "hans", EXPERT: "eva", AUTHORITY: "tom"}


class Life:
    """One permit, and what happens to it."""

    def __init__(self, key: str, people: dict[str, Person], **facts: Any) -> None:
        self.key, self.people, self.facts = key, people, facts
        self.told = 0
        self.case: Case | None = None

    def open(self) -> None:
        owner = self.people["ruben"]
        self.case = open_case(
            kind="permit",
            facts=self.facts,
            title=f"{self.facts['site']}, {self.facts['applicant_name']}",
            actor=service("website"),
            owner=owner,
            team=owner.team,
            source="demo",
            source_key=self.key,
        )

    @property
    def case_id(self) -> int:
        assert self.case is not None
        return self.case.pk

    def do(self, name: str, outcome: str, reason: str = "", by: str = "", **ticks: Any) -> None:
        """Somebody of its role takes a task and completes it."""
        task = Task.objects.get(case_id=self.case_id, state="open", name=name)
        actor = Actor.of(self.people[by or BY_ROLE[task.role]])
        claim_task(task_id=task.pk, actor=actor)
        complete_task(task_id=task.pk, outcome=outcome, reason=reason, actor=actor, result=ticks)

    def tell(self, name: str, who: Actor, **data: str) -> None:
        self.told += 1
        deliver_message(
            case_id=self.case_id,
            name=name,
            data=data,
            source="demo",
            key=f"{self.key}-{self.told}",
            actor=who,
        )

    def send(self, name: str) -> None:
        file = ContentFile(f"{name} of {self.facts['site']}\n".encode(), name=f"{name}.txt")
        receive_document(case_id=self.case_id, name=name, file=file, actor=party("applicant"))

    def move(self, name: str, reason: str) -> None:
        move_case(
            case_id=self.case_id,
            name=name,
            data={"reason": reason},
            actor=Actor.of(self.people["ruben"]),
        )


def received(life: Life) -> Story:
    life.open()
    yield 0


def being_confirmed(life: Life) -> Story:
    yield from received(life)
    yield 1
    life.do("check_confirmation", "adjust", "The name of the street is wrong.")
    yield 1
    life.do("assess_stop", "advice", aspect_planning=True, party_water_board=True)
    yield 1
    life.do("request_advice", "done")


def taken_in(life: Life) -> Story:
    yield from received(life)
    yield 1
    life.do("check_confirmation", "pass")
    yield 0.05
    life.do("determine_confirmation", "determine")
    yield 0.05
    life.do("send_confirmation", "send")
    yield 1
    life.do("assess_stop", "clear")
    yield 0.05
    life.do("decide_stop", "go_on")


def no_permit(life: Life) -> Story:
    yield from received(life)
    yield 1
    life.do("check_confirmation", "pass")
    yield 0.05
    life.do("determine_confirmation", "determine")
    yield 0.05
    life.do("send_confirmation", "send")
    yield 2
    life.do("assess_stop", "clear")
    yield 0.05
    life.do("decide_stop", "no_permit", "A fence of one metre needs no permit.")
    yield 1
    life.do("create_unlicensed", "done")
    yield 1
    life.do("check_unlicensed", "pass")
    yield 0.05
    life.do("determine_unlicensed", "determine")
    yield 0.05
    life.do("send_unlicensed", "send")


def data_asked(life: Life) -> Story:
    yield from taken_in(life)
    yield 4
    life.do(
        "completeness",
        "missing",
        "The drawings lack measures, and we have no photographs.",
        drawings=True,
        photographs=True,
    )


def data_halfway(life: Life) -> Story:
    yield from data_asked(life)
    yield 9
    life.send("photographs")


def complete(life: Life) -> Story:
    yield from taken_in(life)
    yield 5
    life.do("completeness", "complete")


def data_came(life: Life) -> Story:
    yield from data_halfway(life)
    yield 6
    life.send("drawings")
    yield 2
    life.do("completeness", "complete")


def advised(life: Life) -> Story:
    yield from complete(life)
    yield 6
    life.do("content_build", "advice", aspect_construction=True, party_fire_service=True)
    yield 1
    life.do("request_advice", "done")
    yield 3
    life.do("advice_construction", "agrees_with_conditions", "Thicker beams in the roof.")


def extended(life: Life) -> Story:
    yield from complete(life)
    yield 25
    life.tell(
        "extend_term", Actor.of(life.people["ruben"]), reason="The heritage committee meets in May."
    )


def reviewed(life: Life) -> Story:
    yield from complete(life)
    yield 8
    life.do("content_build", "conditions", "The colour of the frames as now.")


def drafted(life: Life) -> Story:
    yield from reviewed(life)
    yield 3
    life.do("draft", "grant", conditions="The colour of the frames as now.")


def decided(life: Life) -> Story:
    yield from drafted(life)
    yield 2
    life.do("decision", "decide")


def sent(life: Life) -> Story:
    yield from decided(life)
    yield 1
    life.do("send_decision", "send")
    yield 2
    life.do("publish", "done")


def objected(life: Life) -> Story:
    yield from sent(life)
    yield 20
    life.tell(
        "objection",
        party("neighbour"),
        by="J. Buurman",
        email="buurman@neighbour.example",
        grounds="The dormer takes the light of my garden.",
    )


def treated(life: Life) -> Story:
    yield from objected(life)
    yield 40
    life.do("hearing", "done")
    yield 10
    life.do("objection", "unfounded", "There is light enough.", by="carla")


def archived(life: Life) -> Story:
    yield from sent(life)
    yield 48
    life.do("close_file", "archive")


def suspended(life: Life) -> Story:
    yield from complete(life)
    yield 4
    life.move("suspend", "The zoning plan of the quarter is being changed.")


def withdrawn(life: Life) -> Story:
    yield from complete(life)
    yield 4
    life.move("withdraw", "The applicant sells the house.")


# What happens, days since receipt, who, where, what, which parts.
STORIES: list[tuple[Callable[[Life], Story], float, str, str, str, str]] = [
    (received, 1, "Lotte Smits", "Molenweg 4", "A shed in the garden", "build"),
    (being_confirmed, 8, "Farid Amrani", "Havenkade 12", "A jetty with a deck", "build groundwork"),
    (taken_in, 6, "Ineke Kok", "Lindelaan 30", "A carport", "build"),
    (data_asked, 20, "Pim de Jong", "Kerkplein 2", "A roof of glass over the yard", "build"),
    (data_halfway, 27, "Sarah Wolf", "Dorpsstraat 81", "A dormer and a balcony", "build"),
    (data_asked, 55, "Johan Brink", "Oude Dijk 7", "A stable", "build use"),
    (complete, 12, "Marta Silva", "Beukenhof 19", "An oak is cut down", "fell"),
    (advised, 22, "Koen Peters", "Marktstraat 5", "Flats over a shop", "build"),
    (data_came, 40, "Aisha Yusuf", "Parkzicht 3", "An extension at the back", "build"),
    (extended, 44, "Stichting Molen", "Molenpad 1", "The mill gets new sails", "monument"),
    (reviewed, 24, "Daan Vink", "Zuiderweg 60", "A dormer at the front", "build"),
    (drafted, 26, "Nora Bakker", "Spoorlaan 15", "A second floor on the garage", "build"),
    (decided, 25, "Gijs Post", "Waterstraat 9", "New frames", "build"),
    (sent, 40, "Elif Kaya", "Rozenstraat 22", "A bay window", "build"),
    (objected, 58, "Tim Groen", "Akkerweg 3", "A house on an open lot", "build"),
    (treated, 130, "Bouwbedrijf Vos", "Stationsplein 1", "Twelve flats", "build"),
    (archived, 85, "Rik Maas", "Bosrand 14", "A dormer at the back", "build"),
    (complete, 70, "Olga Ivanova", "Veldweg 8", "A sign on the wall", "sign"),
    (suspended, 30, "Hotel De Zon", "Strandweg 2", "A terrace on the dune", "build nature"),
    (no_permit, 15, "Wim Hol", "Tuinpad 6", "A fence of one metre", "build"),
    (withdrawn, 21, "Julia Roos", "Esdoornlaan 11", "A swimming pool", "build groundwork"),
]


def play(people: dict[str, Person]) -> int:
    """Open the permits that are not there yet, and let them live up to now."""
    known = set(Case.objects.filter(source="demo").values_list("source_key", flat=True))
    lives = []
    for number, (story, age, name, site, description, parts) in enumerate(STORIES, 1):
        key = f"permit-{number}"
        if key not in known:
            life = Life(
                key,
                people,
                applicant_name=name,
                email=f"{name.split()[-1].lower()}@applicant.example",
                site=site,
                description=description,
                parts=parts,
            )
            lives.append((age, story(life)))
    return live_through(lives, world=World())
