"""What calls a person who looks elsewhere: which session a client shows, and the messages that become notifications.

A Web Push carries an `Attention` as its payload, encrypted for the browser. Times are milliseconds since the epoch.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import field

from mirrord.wire.limits import PUSH_ENDPOINT_CHARS, SESSION_ID_CHARS
from mirrord.wire.parts import Message, Part

AttentionKind = Literal["waiting", "yourTurn", "failed", "over"]
"""Pi asks something; its work came to an end; it ended in an error; what was told before holds no longer."""

NotifyKind = Literal["waiting", "yourTurn", "failed", "titles"]
"""What a device can switch. `titles`: whether notifications may hold the titles of sessions and prompts."""


class Looking(Message, frozen=True, tag="looking"):
    """This client shows a session to somebody now, or none (null). Said on each connection and each change; there is no reply.

    `present`: it can be seen, whatever it shows. One that shows a session to somebody need not say so.
    """

    session_id: Annotated[str, msgspec.Meta(max_length=SESSION_ID_CHARS)] | None
    present: bool = False


class Attention(Message, frozen=True, tag="attention"):
    """What to tell the person of a session now, in place of what was told of it before."""

    session_id: str
    kind: AttentionKind
    title: str
    body: str
    at: int
    prompt_id: str | None = None

    def __repr__(self) -> str:
        """Without title and body: nothing that a prompt says reaches a log."""
        return f"Attention(session_id={self.session_id!r}, kind={self.kind!r})"


class DeviceSwitches(Part, frozen=True, omit_defaults=False):
    """What a device wants to be told of, and whether titles may be in it."""

    waiting: bool = True
    your_turn: bool = True
    failed: bool = True
    titles: bool = False


class SessionSwitches(Part, frozen=True):
    """Where a session differs from its device; None: it does not."""

    waiting: bool | None = None
    your_turn: bool | None = None
    failed: bool | None = None


SWITCH_FIELDS: Final[dict[NotifyKind, str]] = {"waiting": "waiting", "yourTurn": "your_turn", "failed": "failed", "titles": "titles"}
"""The field that each kind switches."""


class NotifySettings(Part, frozen=True, omit_defaults=False):
    """The data of `notify_settings` and `notify_set`; only sessions that differ are there."""

    device: DeviceSwitches = DeviceSwitches()
    sessions: dict[str, SessionSwitches] = field(default_factory=dict)


class PushInfo(Part, frozen=True):
    """The data of `push_info`: the key for the browser to subscribe with, or one sentence why there is no push."""

    available: bool
    public_key: str | None = None
    reason: str | None = None


# ---- arguments of the commands ---------------------------------------------------------------------------------------

SUBSCRIPTION_KEY_CHARS: Final = 128
"""A public key of P-256 as base64url has 87 characters, the secret beside it 22."""


class NoArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of `push_info`, `push_unsubscribe` and `notify_settings`."""


class PushSubscribeArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the browser's `PushSubscription` says, as its `toJSON` has it. Its repr shows nothing: who knows it can send."""

    endpoint: Annotated[str, msgspec.Meta(max_length=PUSH_ENDPOINT_CHARS)]
    p256dh: Annotated[str, msgspec.Meta(max_length=SUBSCRIPTION_KEY_CHARS)]
    auth: Annotated[str, msgspec.Meta(max_length=SUBSCRIPTION_KEY_CHARS)]

    def __repr__(self) -> str:
        """Without the address and the keys."""
        return "PushSubscribeArgs()"


class NotifySetArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Switch one kind, of the device or of one session; `on` None: back to what it is otherwise."""

    kind: NotifyKind
    on: bool | None
    session_id: Annotated[str, msgspec.Meta(max_length=SESSION_ID_CHARS)] | None = None
