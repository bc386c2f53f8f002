"""Promise: every message of docs/bridge.md has an example in fixtures/bridge, and decodes and encodes to the same JSON on this side too.

The TypeScript side reads the same files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from bridge.framing import FrameError, Unknown, decode_from_daemon, decode_from_extension, encode
from bridge.link import Closed, Link, State
from bridge.messages import DaemonInfo, FromDaemon, FromExtension, Response, Resync

FIXTURES = Path(__file__).parents[2] / "fixtures" / "bridge"
DECODERS = {"extension": decode_from_extension, "daemon": decode_from_daemon}
UNIONS = {"extension": FromExtension, "daemon": FromDaemon}

Example = dict[str, Any]


def lines(name: str) -> list[Example]:
    """The JSON lines of a fixture."""
    return [json.loads(line) for line in (FIXTURES / name).read_text("utf-8").splitlines()]


def named(examples: list[Example]) -> list[Any]:
    """As parameters with names."""
    return [pytest.param(example, id=f"{example['from']}: {example['name']}") for example in examples]


def without_unknown_fields(said: Any, message: object) -> Any:
    """The JSON of an example, without what this build ignores."""
    if not isinstance(message, msgspec.Struct):
        return said
    known = {field.encode_name: getattr(message, field.name) for field in msgspec.structs.fields(message)}
    return {name: without_unknown_fields(value, known.get(name)) for name, value in said.items() if name in known or name == "type"}


def test_every_message_of_both_sides_has_an_example() -> None:
    for side, union in UNIONS.items():
        shown = {example["message"]["type"] for example in lines("messages.jsonl") if example["from"] == side}
        assert {kind.__struct_config__.tag for kind in get_args(union)} <= shown


@pytest.mark.parametrize("example", named(lines("messages.jsonl")))
def test_an_example_decodes_and_encodes_to_itself(example: Example) -> None:
    line = json.dumps(example["message"]).encode()
    message = DECODERS[example["from"]](line)
    if example.get("ignored"):
        assert message == Unknown(example["message"]["seq"])
    else:
        assert not isinstance(message, Unknown)
        assert json.loads(encode(message)) == without_unknown_fields(example["message"], message)


@pytest.mark.parametrize("example", named(lines("malformed.jsonl")))
def test_a_malformed_line_is_a_frame_error(example: Example) -> None:
    with pytest.raises(FrameError):
        DECODERS[example["from"]](example["line"].encode())


# ---- conversations ---------------------------------------------------------------------------------------------------


VERSIONS = {"protocol_too_old": "2.0.0", "protocol_too_new": "0.1.0"}
"""Which daemon refused in the records: the sentence names its version."""


class Daemon:
    """Our side of a recorded conversation: what it says must be what was recorded, word for word."""

    def __init__(self) -> None:
        self.now = 0.0
        self.skipped = 0
        """Messages in the record that a later daemon said and this one does not have."""
        self.link: Link | None = None
        self.out = b""

    def linked(self, welcome: Example) -> Link:
        """A fresh link of the daemon that the record names."""
        info = msgspec.convert(
            welcome.get("daemon", {"version": VERSIONS.get(welcome.get("code", ""), ""), "instance": "", "pid": 1}), DaemonInfo
        )
        self.skipped, self.out = 0, b""
        self.link = Link(info, self.now)
        return self.link

    def hears(self, message: Example, wall: int) -> None:
        """The extension says this."""
        assert self.link is not None
        for event in self.link.receive(json.dumps(message).encode() + b"\n", self.now, wall):
            assert not isinstance(event, Closed) or event.why == "refused"

    def says(self, message: Example) -> None:
        """The daemon said this in the record: lead our side to it and compare."""
        assert self.link is not None
        decoded = decode_from_daemon(json.dumps(message).encode())
        match message["type"]:
            case "ack":
                self.link.acknowledge()
            case "ping":
                assert self.link.deadline is not None
                self.now = self.link.deadline
                self.link.tick(self.now)
            case "resync" | "response":
                assert isinstance(decoded, Resync | Response)
                self.link.send(decoded)
        if isinstance(decoded, Unknown):
            self.skipped += 1
            return
        self.out += self.link.take_outgoing()
        line, _, self.out = self.out.partition(b"\n")
        said = json.loads(line)
        assert said | {"seq": said["seq"] + self.skipped} == message


@pytest.mark.parametrize("path", sorted((FIXTURES / "conversations").iterdir()), ids=lambda path: path.stem)
def test_a_recorded_conversation_goes_the_same_way_on_this_side(path: Path) -> None:
    daemon = Daemon()
    turns = [json.loads(line) for line in path.read_text("utf-8").splitlines()][1:]
    for turn, following in zip(turns, [*turns[1:], {}], strict=True):
        if turn.get("dir") == ">":
            if turn["message"]["type"] == "hello":
                daemon.linked(following["message"])
            daemon.hears(turn["message"], following.get("message", {}).get("now", 0))
        elif turn.get("dir") == "<":
            daemon.says(turn["message"])
        elif turn.get("link") == "lost":
            assert daemon.link is not None
            daemon.link.end()
        elif turn.get("link") == "closed":
            assert daemon.link is not None
            assert daemon.out == daemon.link.take_outgoing() == b""
            assert daemon.link.state is State.CLOSED or daemon.link.end().why == "ended"
        else:
            raise AssertionError(f"a line that says nothing: {turn}")
    assert daemon.link is not None
    assert daemon.out + daemon.link.take_outgoing() == b""
