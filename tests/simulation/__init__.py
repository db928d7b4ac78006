"""A seeded simulation: workers, timer services, people and time, in any order."""
