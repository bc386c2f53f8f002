"""Web Push: what calls a person whose page is closed, through the service of their browser's maker, which cannot read it.

endpoints.py  which addresses are sent to
vapid.py      how the daemon says who it is (RFC 8292)
sealing.py    what only the browser can read (RFC 8291)
https.py      one request to a public address
sender.py     what waits for each device, and when it is tried again
desk.py       the commands of devices about notifications
"""

from mirrord.push.desk import NOTIFY_COMMANDS, NotifyDesk
from mirrord.push.https import Https, PublicDial, Transport
from mirrord.push.sender import Pusher

__all__ = ["NOTIFY_COMMANDS", "Https", "NotifyDesk", "PublicDial", "Pusher", "Transport"]
