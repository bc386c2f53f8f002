"""Every setting there is, declared once: `mirrord config show`, the manual and the reader all go by this table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from mirrord.config.kinds import Choice, Contact, Flag, Kind, Program, Seconds, Size, Texts, Value, Whole
from mirrord.settings import DEFAULT_PORT, IDLE_LIMIT, LEVELS
from mirrord.wire.limits import RETENTION_BYTES, RETENTION_DAYS


class Taken(Enum):
    """When a changed setting counts."""

    START = "when the daemon starts"
    RELOAD = "at once when the daemon reloads its settings"
    PI = "when a Pi starts, or on /reload in it"
    CODE = "when the next code would be shown"


@dataclass(frozen=True, slots=True)
class Key:
    """One setting. `name` is its name in the file; with a dot, the part before it is its table.

    `safe`: its value while the file cannot be used, where that is another one than `default`.
    """

    name: str
    kind: Kind
    default: Value
    doc: str
    """One sentence."""
    env: str | None
    flag: str | None
    taken: Taken
    safe: Value | None = None
    unset: str = ""
    """What a default of None means, in a few words."""


_DAY_LIMIT: Final = 3650
_LEAST_BYTES: Final = 1024 * 1024
"""Less would not hold the receipts of one day."""
_MOST_BYTES: Final = 1024**4
"""A terabyte: no memory holds as much, and the store counts in numbers of 64 bits."""

_TABLE: Final = (
    Key("port", Whole(0, 65_535), DEFAULT_PORT, "Port on 127.0.0.1; 0 takes any free one.", "MIRRORD_PORT", "--port", Taken.START),
    Key(
        "idle_exit",
        Seconds(IDLE_LIMIT),
        None,
        "Seconds without a session and a client after which the daemon ends; 0 is never.",
        "MIRRORD_IDLE_EXIT",
        "--idle-exit",
        Taken.START,
        unset="600 for a daemon that `mirrord pi` started, never for others",
    ),
    Key(
        "log_level",
        Choice(LEVELS),
        "info",
        "The least important lines that the log takes.",
        "MIRRORD_LOG_LEVEL",
        "--log-level",
        Taken.RELOAD,
    ),
    Key(
        "retention_days",
        Whole(1, _DAY_LIMIT),
        RETENTION_DAYS,
        "How long the daemon remembers how a prompt ended and what became of a message that was sent.",
        "MIRRORD_RETENTION_DAYS",
        None,
        Taken.RELOAD,
    ),
    Key(
        "retention_bytes",
        Size(_LEAST_BYTES, _MOST_BYTES),
        RETENTION_BYTES,
        "The most that it remembers of these; the oldest goes first.",
        "MIRRORD_RETENTION_BYTES",
        None,
        Taken.RELOAD,
    ),
    Key("mirror", Flag(), True, "Whether Pi is mirrored at all; false keeps every session private.", "MIRRORD", None, Taken.PI, safe=False),
    Key(
        "exclude",
        Texts(),
        (),
        "Folders in which sessions stay private, as patterns: `~/private`, `/srv/*/secret`, `**/customer`.",
        None,
        None,
        Taken.PI,
    ),
    Key("ask", Flag(), True, "Whether extensions get `ctx.ui.ask` in a Pi that has none.", "MIRRORD_ASK", None, Taken.PI),
    Key("ask_tool", Flag(), False, "Whether the model gets a tool with which it can ask you.", "MIRRORD_ASK_TOOL", None, Taken.PI),
    Key(
        "terminal_notice",
        Flag(),
        True,
        "Whether the terminal shows a line when another device has answered.",
        "MIRRORD_TERMINAL_NOTICE",
        None,
        Taken.PI,
    ),
    Key(
        "show_pairing",
        Flag(),
        True,
        "Whether a code for pairing is shown at a start as long as no device is paired.",
        "MIRRORD_SHOW_PAIRING",
        "--no-pair",
        Taken.CODE,
    ),
    Key(
        "notify.command",
        Program(),
        (),
        "A program to run when a session needs you, without a shell; it gets one JSON object on its standard input.",
        "MIRRORD_NOTIFY_COMMAND",
        None,
        Taken.RELOAD,
    ),
    Key(
        "notify.titles",
        Flag(),
        False,
        "Whether that object has the session's name and the prompt's title.",
        "MIRRORD_NOTIFY_TITLES",
        None,
        Taken.RELOAD,
    ),
    Key(
        "push.contact",
        Contact(),
        None,
        "Where operators of push services can reach you, should they have to.",
        "MIRRORD_PUSH_CONTACT",
        None,
        Taken.START,
        unset="mirrord's own page",
    ),
)

KEYS: Final[dict[str, Key]] = {key.name: key for key in _TABLE}
"""By name, in the order in which they are shown."""

EXTENSION_KEYS: Final = ("mirror", "exclude", "ask", "ask_tool", "terminal_notice")
"""Those that the extension in Pi reads itself. It uses none of them from a file in which one is something else, and is private then."""
