"""What outlives a daemon: who may connect, the daemon's own key, and how often a code was tried. SQLite, mode 0600.

formats.py   the tables, and how an older store becomes one of this format
names.py     what a device may be called
store.py     the open store
"""

from mirrord.store.names import clean_name, free_name
from mirrord.store.store import SEEN_MS, TOKEN_PREFIX, Device, Minted, Store, open_store
from mirrord.store_file import FILE_NAME

__all__ = ["FILE_NAME", "SEEN_MS", "TOKEN_PREFIX", "Device", "Minted", "Store", "clean_name", "free_name", "open_store"]
