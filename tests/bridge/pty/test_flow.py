"""Promise: a flow reads no more than it can pass on, keeps the order, and says what became of every attempt."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from bridge.pty.flow import READ_BYTES, Flow, Moved
from bridge.pty.interest import Interests

MORE_THAN_A_PIPE_TAKES = 1 << 17


@dataclass
class Pipes:
    """What is written to `give` flows to `take`; `before` and `after` hold what the flow told."""

    give: int
    source: int
    sink: int
    take: int
    before: list[bytes] = field(default_factory=list)
    after: list[bytes] = field(default_factory=list)
    asked: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.interests = Interests()
        self.interests.add(self.source, lambda events: self.asked.append((self.source, events)))
        self.interests.add(self.sink, lambda events: self.asked.append((self.sink, events)))
        self.flow = Flow(self.interests, self.source, self.sink, self.before.append, self.after.append)
        self.flow.open(True)

    def waited_for(self) -> list[int]:
        """The descriptors that something is to be done with now."""
        self.asked.clear()
        self.interests.dispatch(0)
        return [fd for fd, _ in self.asked]

    def fill_sink(self) -> int:
        """How much it took."""
        taken = 0
        try:
            while True:
                taken += os.write(self.sink, b"." * 4096)
        except BlockingIOError:
            return taken


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    source, give = os.pipe()
    take, sink = os.pipe()
    for fd in (source, give, take, sink):
        os.set_blocking(fd, False)
    made = Pipes(give, source, sink, take)
    yield made
    for fd in (made.give, made.source, made.sink, made.take):
        try:
            os.close(fd)
        except OSError:
            continue


def test_bytes_go_on_as_they_come(pipes: Pipes) -> None:
    assert pipes.waited_for() == []
    os.write(pipes.give, b"\x00\xff\r\n\x1b")
    assert pipes.waited_for() == [pipes.source]
    assert pipes.flow.move() is Moved.SOME
    assert os.read(pipes.take, 100) == b"\x00\xff\r\n\x1b"
    assert pipes.before == pipes.after == [b"\x00\xff\r\n\x1b"]
    assert pipes.flow.move() is Moved.NOTHING


def test_while_the_sink_takes_nothing_nothing_is_read(pipes: Pipes) -> None:
    filled = pipes.fill_sink()
    os.write(pipes.give, b"first")
    assert pipes.flow.move() is Moved.STUCK
    assert pipes.flow.stuck
    os.write(pipes.give, b"second")
    assert pipes.waited_for() == []
    assert (pipes.before, pipes.after) == ([b"first"], [])
    assert len(os.read(pipes.take, filled)) == filled
    assert pipes.waited_for() == [pipes.sink]
    assert pipes.flow.push() is Moved.SOME
    assert pipes.after == [b"first"]
    assert pipes.waited_for() == [pipes.source]
    assert pipes.flow.move() is Moved.SOME
    assert os.read(pipes.take, 100) == b"firstsecond"


def test_what_the_sink_takes_in_part_is_finished_before_anything_else(pipes: Pipes) -> None:
    data = os.urandom(READ_BYTES)
    assert os.write(pipes.give, data) == READ_BYTES
    filled = pipes.fill_sink()
    os.read(pipes.take, 4096)
    received = bytearray()
    assert pipes.flow.move() is Moved.STUCK
    while pipes.flow.stuck:
        received += os.read(pipes.take, 8192)
        pipes.flow.push()
        assert pipes.after == ([] if pipes.flow.stuck else [data])
    received += os.read(pipes.take, MORE_THAN_A_PIPE_TAKES)
    assert received[filled - 4096 :] == data


def test_a_closed_source_has_ended(pipes: Pipes) -> None:
    os.write(pipes.give, b"last")
    os.close(pipes.give)
    assert pipes.flow.move() is Moved.SOME
    assert pipes.flow.move() is Moved.ENDED


def test_a_closed_sink_is_lost(pipes: Pipes) -> None:
    os.close(pipes.take)
    os.write(pipes.give, b"into the void")
    assert pipes.flow.move() is Moved.LOST
    assert not pipes.flow.stuck


def test_a_flow_that_is_closed_for_a_while_leaves_its_source_alone(pipes: Pipes) -> None:
    pipes.flow.open(False)
    os.write(pipes.give, b"later")
    assert pipes.waited_for() == []
    pipes.flow.open(True)
    assert pipes.waited_for() == [pipes.source]
