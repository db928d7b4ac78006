"""The roles that the rules know by name. Kinds name further ones, such as underwriter."""

CASEWORKER = "caseworker"
SUPERVISOR = "supervisor"
AUDITOR = "auditor"
OPERATOR = "operator"
ADMINISTRATOR = "administrator"
EXPORTER = "exporter"  # takes cases away for records, statistics or another system
RECORDS_MANAGER = "records manager"


SEE_ALL = frozenset({AUDITOR, OPERATOR, RECORDS_MANAGER})
TEAM_ROLES = frozenset({CASEWORKER, SUPERVISOR})  # of a team's own cases; other roles reach all
