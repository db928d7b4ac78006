"""The crash campaign: a real installation at work while everything in it is killed at random.

`make crash` runs the same people and cases twice: undisturbed, and under blows. Afterwards nothing
may be stuck, lost or doubled, and each case's history must tell the same story. docs/crash.md says
what is done and what is compared.
"""
