"""Holding cases, and erasing the people in them: what is found, overwritten, kept and certified."""
