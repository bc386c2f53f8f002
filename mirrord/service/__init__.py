"""The daemon as a service of the system's: installed for systemd's user manager or launchd, started by it, and in touch with it.

launch.py       how the service starts the daemon: the program, its places, its port
unit.py         a hardened unit of systemd and its sockets, as text; pure
launchd.py      the agent of launchd, as a property list; pure
managers.py     the two managers: where their files are, and what is asked of them
install.py      writes the files, and takes them out again
activation.py   listening sockets that the manager made
notify.py       what the manager is told: ready, alive, stopping
supervision.py  tells it, from the loop that would hang
environment.py  what the daemon keeps of the manager's environment
managed.py      all that the manager gave to a daemon
"""
