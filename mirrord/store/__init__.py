"""What outlives a daemon: who may connect, its own key, tries of a code, receipts of sent turns, and whom to notify. SQLite, mode 0600.

aside.py     what becomes of a store that cannot be used
formats.py   the tables, and how an older store becomes one of this format
names.py     what a device may be called
notify.py    what each device wants to be told, and where to push it
opening.py   how a store is opened
receipts.py  what became of each turn that a client sent
report.py    what is in it, in numbers
store.py     the open store
writer.py    the thread that writes
"""

from mirrord.store.names import clean_name, free_name
from mirrord.store.opening import open_store
from mirrord.store.receipts import ReceiptTable
from mirrord.store.report import StoreReport
from mirrord.store.store import SEEN_MS, TOKEN_PREFIX, Device, Minted, Store
from mirrord.store_file import FILE_NAME

__all__ = [
    "FILE_NAME",
    "SEEN_MS",
    "TOKEN_PREFIX",
    "Device",
    "Minted",
    "ReceiptTable",
    "Store",
    "StoreReport",
    "clean_name",
    "free_name",
    "open_store",
]
