"""Pages of what is kept, held and erased."""
