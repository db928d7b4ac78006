"""The kinds of case that are measured: the small loan that every engine runs, and a sleeper."""
