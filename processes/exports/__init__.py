"""Cases taken away in the formats of the field: read, written slice by slice, given out."""
