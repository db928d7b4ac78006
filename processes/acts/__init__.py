"""What people, parties and services can do to a case. Each act is one service: lock, check,
record, let the case go on, one commit. Pages, API and commands make one call here."""
