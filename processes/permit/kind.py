"""The kind: what a permit is called, its main line, its clocks, and what may come for it."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from processes.kinds import Kind
from processes.permit import messages, page, rules
from processes.permit.models import Decision, PermitApplication, Step
from processes.retention import Retention
from timers.spans import days, working_days

permit = Kind(
    PermitApplication,
    title=_("Permit"),
    prefix="PM",
    initial=Step.RECEIPT,
    main_line=[
        (_("Receipt"), [Step.RECEIPT]),
        (_("Completeness"), [Step.COMPLETENESS, Step.AWAITING_DATA]),
        (_("Assessment"), [Step.ASSESSMENT]),
        (_("Decision"), [Step.DRAFT, Step.DECISION, Step.SENDING]),
        (_("Objection term"), [Step.OBJECTION_TERM]),
        (_("Objection and appeal"), [Step.OBJECTION, Step.APPEAL_TERM, Step.APPEAL]),
        (_("Irrevocable"), [Step.IRREVOCABLE, Step.ARCHIVED]),
    ],
    document_titles=rules.PAPERS,
    messages=messages.SHAPES,
    answers=("nothing_comes",),
    form="processes.permit.forms.PermitForm",
    reopened_letter="permit/letters/reopened.txt",
    correctable=rules.SAID_BY_APPLICANT,
    check_facts=rules.unfit,
    message_titles=messages.TITLES,
    may_come=("extend_term", "nothing_comes"),
    fact_words={
        **rules.FACT_WORDS,
        "proposal": lambda decision: str(dict(Decision.choices).get(decision, decision)),
        "suspended_from": lambda step: str(dict(Step.choices).get(step, step)),
    },
    answer_forms={
        **{f"advice_{party}": "processes.permit.forms.AdviceForm" for party in rules.PARTIES},
        "objection": "processes.permit.forms.ObjectionForm",
        "appeal": "processes.permit.forms.ObjectionForm",
        "judgment": "processes.permit.forms.JudgmentForm",
        "extend_term": "processes.permit.forms.ExtensionForm",
        "nothing_comes": "processes.permit.forms.NothingComesForm",
    },
    found_by=("applicant_name", "email", "address", "site"),
    targets={
        Step.RECEIPT: 2,
        Step.COMPLETENESS: 7,
        Step.AWAITING_DATA: 28,
        Step.ASSESSMENT: 35,
        Step.DRAFT: 7,
        Step.DECISION: 5,
    },
    page=page.PAGE,
    retention={
        Step.ARCHIVED: Retention(years=20, basis=_("selection list of municipalities: permits")),
        "": Retention(years=1, basis=_("selection list of municipalities: not pursued")),
    },
    plain=(
        *("parts", "channel", "missing_data", "proposal", "suspended_from", "drafted_by"),
        *("decided_by", "by", "view", "judgment", "about", "party", "names", "papers"),
    ),
)
permit.clock(
    "term",
    title=_("Legal term"),
    limit=days(rules.TERM_DAYS),
    extend_by=days(rules.EXTENSION_DAYS),
    extensions=1,
    warn=[working_days(5)],
)
permit.clock("objection", title=_("Objection term"), limit=days(rules.OBJECTION_DAYS), ours=False)
permit.clock("appeal", title=_("Appeal term"), limit=days(rules.APPEAL_DAYS), ours=False)
