"""What was: the history of a case found in pages, any of its moments, and two moments compared."""
