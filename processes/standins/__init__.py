"""Stand-ins for the services outside: identity register, credit bureau, appraiser, bank, company
register and sanctions lists.

For demos and tests. They answer the same question in the same way each time, and can be told to be
slow, down or wrong. Nothing in Longcase imports them but the demo: a kind knows addresses alone.
"""

from processes.standins.world import World

__all__ = ["World"]
