"""Every message of the screen wire as a frozen struct; `docs/screen.md` is the specification.

A message is a JSON object on a line of its own. All of them but pings tell what is true now, so the newest of a kind stands for all
before it. Decoding is strict about the fields we know and ignores the ones we do not.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from bridge.messages import DaemonInfo, ProtocolRange
from sanitize.spans import Line

PROTOCOL_MIN = 1
PROTOCOL_MAX = 1
"""The protocol range this build speaks."""

Menu = Literal["model", "scoped-models", "resume", "tree", "fork", "settings", "thinking", "trust", "login", "logout"]
"""A menu of Pi's own, by the command that opens it; `resume` and `trust` come at the start as well."""

ProgramState = Literal["idle", "working", "blocked", "done", "error"]
"""What Pi says of itself with OSC 7501."""

Hidden = Literal["login", "incomplete", "unknown", "large"]
"""Why a screen does not leave: secrets are typed there; it is not known completely (bytes are missing, or it is being drawn); where text
is typed in it cannot be told for sure; it is larger than what is followed, or fits in no frame."""

RefusalCode = Literal["protocol_too_old", "protocol_too_new", "peer", "busy"]

MENUS: tuple[Menu, ...] = get_args(Menu)
PROGRAM_STATES: tuple[ProgramState, ...] = get_args(ProgramState)


class _Message(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="type"):
    """A JSON object on a line of its own."""


class ScreenHello(_Message, frozen=True, tag="screen_hello"):
    """First message of a link. `pid` is Pi's; `shared` says that the terminal was started with `--share-screen`."""

    protocol: ProtocolRange
    version: str
    pid: int
    shared: bool
    columns: int
    rows: int


class ScreenState(_Message, frozen=True, tag="screen_state"):
    """Whether a menu of Pi's own waits on the screen, and since when (ms since the epoch)."""

    state: Literal["none", "menu"]
    since: int
    menu: str | None = None
    """One of `Menu`; a newer follower may know more."""


class ScreenProgram(_Message, frozen=True, tag="screen_program"):
    """What Pi said of itself: a word of `ProgramState`, and of which kind it is. None once it took that back."""

    state: str | None
    kind: str | None = None


class Screen(_Message, frozen=True, tag="screen"):
    """The screen without what is typed. `lines` from the top, without empty ones at the end; none when it is `hidden`."""

    columns: int
    rows: int
    lines: tuple[Line, ...] = ()
    hidden: str | None = None
    """One of `Hidden`."""


class ScreenWelcome(_Message, frozen=True, tag="screen_welcome"):
    """The link stands; `protocol` is what both will speak."""

    protocol: int
    daemon: DaemonInfo


class ScreenRefused(_Message, frozen=True, tag="screen_refused"):
    """The link does not stand; `message` is one sentence for a person."""

    code: RefusalCode
    message: str


class ScreenWanted(_Message, frozen=True, tag="screen_wanted"):
    """Whether the screen itself is asked for; a link begins without."""

    on: bool


class Ping(_Message, frozen=True, tag="ping"):
    """Are you there?"""

    n: int


class Pong(_Message, frozen=True, tag="pong"):
    """Yes."""

    n: int


FromFollower = ScreenHello | ScreenState | ScreenProgram | Screen | Ping | Pong
FromDaemon = ScreenWelcome | ScreenRefused | ScreenWanted | Ping | Pong
