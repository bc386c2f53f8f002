"""A link and the words that pass over it, for tests."""

from __future__ import annotations

from bridge.framing import LineReader, decode_from_daemon, encode
from bridge.link import Link, LinkEvent
from bridge.messages import (
    PROTOCOL_MAX,
    PROTOCOL_MIN,
    BridgeInfo,
    Conversation,
    DaemonInfo,
    FromDaemon,
    FromExtension,
    Hello,
    ProtocolRange,
    TerminalInfo,
    Welcome,
)

DAEMON = DaemonInfo(version="0.1.0", instance="i", pid=1)
HELLO = Hello(
    seq=1,
    protocol=ProtocolRange(PROTOCOL_MIN, PROTOCOL_MAX),
    bridge=BridgeInfo("0.1.0", "/x", 1),
    terminal=TerminalInfo("4711-99", 4711, "99", "tui", "1.6.0", "22"),
    conversation=Conversation("c", "/home/ada"),
    reason="startup",
    capabilities=(),
)
START = 100.0


def said(link: Link) -> list[FromDaemon]:
    """What the link wants to say, taken from it."""
    reader = LineReader()
    reader.receive(link.take_outgoing())
    messages: list[FromDaemon] = []
    while (line := reader.next_line()) is not None:
        message = decode_from_daemon(line)
        assert isinstance(message, FromDaemon)
        messages.append(message)
    return messages


def give(link: Link, *messages: FromExtension, now: float = START) -> list[LinkEvent]:
    """Let the extension say this."""
    return link.receive(b"".join(encode(message) for message in messages), now, 1_000)


def ready(now: float = START) -> Link:
    """A link after its hello, its welcome taken."""
    link = Link(DAEMON, now)
    give(link, HELLO, now=now)
    assert said(link) == [Welcome(seq=1, protocol=1, daemon=DAEMON, now=1_000)]
    return link
