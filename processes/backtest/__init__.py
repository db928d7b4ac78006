"""Trying changed rules and steps on closed cases: what would have come out otherwise.

A case is played again from the first visit that the change touches. What its code asks of people,
parties and services is answered from the case's own history; what was never recorded is told as
"no data". Nothing is written.
"""
