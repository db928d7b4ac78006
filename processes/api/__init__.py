"""The REST API under /api/v1/: reads are generic, acts are named, each through its service."""
