"""Many cases opened from one file: its rows read, carried out by workers, shown on pages."""
