"""Recorded cases of real organisations, driven through our kinds on a turned clock.

People's acts come from the log, in recorded order; timers, reminders and expiries must come from
the engine. What does not fit is a refusal or an incident with its reason, never dropped.
"""
