"""What a live part may have, by name: the members of all protocols of subsystems."""

from __future__ import annotations

METHODS = {  # and what a part is doing meanwhile, for messages
    "late_outputs": "starting",
    "dump": "writing its state",
    "load": "reading its state",
    "linearize": "linearizing",
    "relinearize": "linearizing",
    "state": "giving its state",
    "place": "being placed",
    "rates": "advancing",
    "values": "advancing",
    "crossings": "advancing",
    "jacobian": "advancing",
    "completed": "advancing",
    "next_event": "announcing its next event",
    "switches": "looking for events",
    "event": "handling an event",
    "update": "handling an event",
    "tune": "changing its parameters",
    "coordinate": "coordinating",
    "doubt_rollback": "rolling back",
}
PROPERTIES = ("states", "signs", "pattern", "ending", "checks_rollback")
FAREWELL = ("remarks", "log_messages", "reports", "effort")  # asked after the end as well
SNAPSHOTS = ("snapshot", "restore")
MEMBERS = (*METHODS, *PROPERTIES, *FAREWELL, *SNAPSHOTS)
