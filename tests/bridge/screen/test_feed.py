"""Promise: the copy loop is never held up by the follower, whatever that does; what it misses it is told."""

from __future__ import annotations

import contextlib
import os
import socket
import tracemalloc
from collections.abc import Iterator
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.screen.feed import Feed
from bridge.screen.limits import FEED_BYTES, RECORD_BYTES
from bridge.screen.records import Gap, Output, Record, RecordError, RecordReader, Resized, pack


@pytest.fixture
def pipe() -> Iterator[tuple[Feed, int]]:
    """A feed and the end that its follower reads."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    feed = Feed(writing)
    yield feed, reading
    feed.close()
    os.close(reading)


def all_of(feed: Feed, reading: int) -> list[Record]:
    """Everything that waits, as the follower reads it."""
    reader, records = RecordReader(), list[Record]()
    while True:
        feed.flush()
        try:
            records += reader.receive(os.read(reading, 1 << 16))
        except BlockingIOError:
            return records


def output_of(records: list[Record]) -> bytes:
    return b"".join(record.data for record in records if isinstance(record, Output))


def joined(records: list[Record]) -> list[Record]:
    """The same without the cuts in what Pi wrote."""
    found: list[Record] = []
    for output, run in groupby(records, lambda record: isinstance(record, Output)):
        together = [*run]
        found += [Output(data) for data in (output_of(together),) if data] if output else together
    return found


def test_what_is_offered_arrives_in_order_with_the_sizes_between(pipe: tuple[Feed, int]) -> None:
    feed, reading = pipe
    feed.offer(b"one ")
    feed.offer(b"line")
    feed.resized(60, 20)
    feed.offer(b"two")
    assert feed.wanting
    assert all_of(feed, reading) == [Output(b"one line"), Resized(60, 20), Output(b"two")]
    assert not feed.wanting


def test_one_offer_may_be_larger_than_a_record(pipe: tuple[Feed, int]) -> None:
    feed, reading = pipe
    data = bytes(range(256)) * (RECORD_BYTES // 64 + 1)
    feed.offer(b"x")
    feed.offer(data)
    assert output_of(all_of(feed, reading)) == b"x" + data


def test_a_follower_that_does_not_read_costs_bounded_memory_and_gets_the_newest_after_a_gap(pipe: tuple[Feed, int]) -> None:
    feed, reading = pipe
    line = b"%08d" % 0 * 512
    tracemalloc.start()
    for number in range(8 * FEED_BYTES // len(line)):
        feed.offer(b"%08d" % number * 512)
        feed.flush()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * FEED_BYTES
    records = all_of(feed, reading)
    assert sum(isinstance(record, Gap) for record in records) == 1
    newest = output_of(records[records.index(Gap()) :])
    assert FEED_BYTES - 2 * RECORD_BYTES < len(newest) <= FEED_BYTES + RECORD_BYTES
    assert newest.endswith(b"%08d" % number * 512)


def test_a_flood_of_sizes_is_bounded_too_and_the_last_one_is_known(pipe: tuple[Feed, int]) -> None:
    feed, reading = pipe
    for size in range(100_000):
        feed.resized(size % 300 + 1, size % 200 + 1)
    records = all_of(feed, reading)
    assert len(records) < 20_000
    assert isinstance(records[0], Gap)
    assert records[-1] == Resized(99_999 % 300 + 1, 99_999 % 200 + 1)


def test_a_size_that_was_dropped_is_told_with_the_gap(pipe: tuple[Feed, int]) -> None:
    feed, reading = pipe
    feed.resized(61, 21)
    for _ in range(2):
        feed.offer(bytes(FEED_BYTES))
    assert all_of(feed, reading)[0] == Gap(61, 21)


def test_a_record_that_was_begun_is_finished_whatever_is_dropped(pipe: tuple[Feed, int]) -> None:
    feed, reading = pipe
    first = b"a" * RECORD_BYTES
    feed.offer(first)
    feed.offer(b"b" * RECORD_BYTES)
    feed.flush()
    feed.offer(bytes(4 * FEED_BYTES))
    assert joined(all_of(feed, reading))[:2] == [Output(first), Gap()]


def test_a_follower_that_is_gone_closes_the_feed_quietly() -> None:
    reading, writing = os.pipe()
    feed = Feed(writing)
    os.close(reading)
    feed.offer(b"x")
    feed.flush()
    assert (feed.fileno(), feed.wanting) == (-1, False)
    feed.offer(b"y")
    feed.resized(1, 1)
    feed.flush()
    feed.close()
    assert not feed.wanting


def test_a_descriptor_that_is_none_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    feed = Feed(writing)
    feed.offer(b"x")
    feed.flush()
    assert not feed.wanting


def test_a_socket_will_do() -> None:
    ours, theirs = socket.socketpair()
    feed = Feed(ours.detach())
    feed.offer(b"x")
    feed.flush()
    assert RecordReader().receive(theirs.recv(100)) == [Output(b"x")]
    feed.close()
    assert theirs.recv(1) == b""
    theirs.close()


_records = st.lists(
    st.one_of(
        st.binary(max_size=300).map(Output),
        st.builds(Resized, st.integers(0, 0xFFFF), st.integers(0, 0xFFFF)),
        st.builds(Gap, st.integers(0, 0xFFFF), st.integers(0, 0xFFFF)),
    ),
    max_size=8,
)


@given(_records, st.lists(st.integers(1, 40), max_size=60))
def test_records_are_the_same_however_they_are_cut(records: list[Record], cuts: list[int]) -> None:
    data, reader, read = b"".join(map(pack, records)), RecordReader(), list[Record]()
    for cut in cuts:
        read += reader.receive(data[:cut])
        data = data[cut:]
    assert joined(read + reader.receive(data)) == joined(records)


def test_the_reader_keeps_nothing_of_what_pi_wrote() -> None:
    """Large blocks that come and go between a screen's small ones that stay would leave holes: memory would grow with every flood."""
    reader = RecordReader()
    data = pack(Output(b"x" * RECORD_BYTES))
    pieces = [reader.receive(cut) for cut in (data[:100], data[100:101], data[101:])]
    assert list(map(output_of, pieces)) == [b"x" * 95, b"x", b"x" * (RECORD_BYTES - 96)]


@given(st.binary(max_size=200))
def test_bytes_that_are_no_records_are_refused_or_read_but_nothing_else_is_raised(data: bytes) -> None:
    with contextlib.suppress(RecordError):
        assert all(isinstance(record, Output | Resized | Gap) for record in RecordReader().receive(data))
