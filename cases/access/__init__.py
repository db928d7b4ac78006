"""Who may see and do what: the one answer for pages, API, search, export, counts and previews.

Roles are names of groups. Teams own cases; a person sees the cases of their team, those they own
or have a task in, and those that their role lets them review: an underwriter's in every team, a
caseworker's and a supervisor's in their own. Auditors see all and change nothing. Records managers
see all, and decide what is kept and what is erased.
Programs see the cases of the kinds and the team that their account names, and do what it names.

While somebody is away, their substitute sees that person's own cases and tasks, and may do to them
what that person may; for four eyes the substitute is both people.
"""

from cases.access.acts import (
    ACTS,
    acting_for,
    can_be_taken,
    has_role,
    is_another,
    is_within_reach,
    may,
    require,
    require_webhooks,
    supervises_task,
    team_cases,
)
from cases.access.foureyes import (
    foresee,
    is_barred,
    is_own_request,
)
from cases.access.kept import ASKING, spelled, visible_pks
from cases.access.roles import (
    ADMINISTRATOR,
    AUDITOR,
    CASEWORKER,
    EXPORTER,
    OPERATOR,
    RECORDS_MANAGER,
    SEE_ALL,
    SUPERVISOR,
    TEAM_ROLES,
)
from cases.access.scope import (
    can_see,
    cases_of_team,
    exportable_cases,
    insight_cases,
    lacks_purpose,
    note_read,
    note_seen,
    offered_parts,
    purpose_needed,
    readable_cases,
    repairable_cases,
    seen_teams,
    selves,
    stood_in_for,
    visible_cases,
    visible_parts,
    visible_tasks,
)

__all__ = [
    "ACTS",
    "ADMINISTRATOR",
    "ASKING",
    "AUDITOR",
    "CASEWORKER",
    "EXPORTER",
    "OPERATOR",
    "RECORDS_MANAGER",
    "SEE_ALL",
    "SUPERVISOR",
    "TEAM_ROLES",
    "acting_for",
    "can_be_taken",
    "can_see",
    "cases_of_team",
    "exportable_cases",
    "foresee",
    "has_role",
    "insight_cases",
    "is_another",
    "is_barred",
    "is_own_request",
    "is_within_reach",
    "lacks_purpose",
    "may",
    "note_read",
    "note_seen",
    "offered_parts",
    "purpose_needed",
    "readable_cases",
    "repairable_cases",
    "require",
    "require_webhooks",
    "seen_teams",
    "selves",
    "spelled",
    "stood_in_for",
    "supervises_task",
    "team_cases",
    "visible_cases",
    "visible_parts",
    "visible_pks",
    "visible_tasks",
]
