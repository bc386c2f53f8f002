"""Promise: links are served in order and acknowledged after they took effect; no peer can block, crash or exhaust the accept loop."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator

import anyio
import msgspec
import pytest
from anyio.lowlevel import checkpoint

from bridge import acceptor, connection
from bridge.limits import LINK_OUTBOX_BYTES, LINK_WRITE_SECONDS, LINKS
from bridge.link import Closed
from bridge.listener import LinkConnection, Listener
from bridge.messages import (
    Ack,
    By,
    FromDaemon,
    FromExtension,
    Ping,
    Pong,
    ProtocolRange,
    Refused,
    Response,
    Title,
    Welcome,
)
from bridge.process import Peer
from tests.bridge.linking import DAEMON, HELLO
from tests.bridge.listening import Recorder, dialled, listening_socket, serving, until


@pytest.fixture
def listening() -> Iterator[tuple[socket.socket, str]]:
    with listening_socket() as made:
        yield made


async def test_a_link_is_welcomed_served_in_order_and_acknowledged(listening: tuple[socket.socket, str]) -> None:
    handler = Recorder()
    async with serving(listening[0], handler), dialled(listening[1]) as peer:
        await peer.say(HELLO, Title(seq=2, title="a"), Ping(seq=3, n=9), Title(seq=4, title="b"))
        assert await peer.hear() == Welcome(seq=1, protocol=1, daemon=DAEMON, now=1_000)
        assert await peer.hear() == Pong(seq=2, n=9)
        assert await peer.hear() == Ack(seq=3, up_to=4)
        assert handler.events == ["opened 4711-99", "Title 2", "Title 4"]
        (link,) = handler.links
        assert link.peer == Peer(os.getpid(), os.getuid())


async def test_nothing_is_acknowledged_when_its_handling_fails(listening: tuple[socket.socket, str]) -> None:
    heard: list[FromDaemon] = []

    def fail(link: LinkConnection, message: FromExtension) -> None:
        if isinstance(message, Title):
            raise RuntimeError("a bug of ours")

    async def converse(path: str) -> None:
        with anyio.CancelScope(shield=True):
            async with dialled(path) as peer:
                await peer.say(HELLO)
                heard.extend([await peer.hear(), await peer.hear()])
                await peer.say(Title(seq=2, title="a"))
                await peer.hears_the_end()
                assert peer.lines.next_line() is None

    async def serve_until_it_breaks() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Listener(listening[0], DAEMON, Recorder(react=fail), lambda: 1_000).serve)
            await converse(listening[1])

    with pytest.raises(ExceptionGroup):
        await serve_until_it_breaks()
    assert [type(message) for message in heard] == [Welcome, Ack]


async def test_an_answer_goes_out_and_after_the_end_it_does_not(listening: tuple[socket.socket, str]) -> None:
    handler = Recorder()
    response = Response(seq=0, response_id="r", id="p", by=By("ada", "phone"), confirmed=True)
    async with serving(listening[0], handler):
        async with dialled(listening[1]) as peer:
            await peer.say(HELLO)
            await peer.hear()
            await peer.hear()
            assert handler.links[0].send(response)
            assert await peer.hear() == msgspec.structs.replace(response, seq=3)
            assert not handler.links[0].send(msgspec.structs.replace(response, text="x" * 600_000))
        await until(lambda: len(handler.ended) == 1)
        assert handler.ended == [Closed("ended", "")]
        assert not handler.links[0].send(response)


async def test_a_mistake_ends_that_link_and_no_other(listening: tuple[socket.socket, str]) -> None:
    handler = Recorder()
    async with serving(listening[0], handler), dialled(listening[1]) as good, dialled(listening[1]) as bad:
        for peer in (good, bad):
            await peer.say(HELLO)
            await peer.hear()
        await bad.stream.send(b"\x00\xff\n")
        await bad.hears_the_end()
        await good.say(Ping(seq=2, n=1))
        while not isinstance(await good.hear(), Pong):
            pass
        assert handler.ended == [Closed("broken", "it is not JSON")]


async def test_a_link_that_is_closed_by_its_own_message_handles_nothing_after_it(listening: tuple[socket.socket, str]) -> None:
    def close(link: LinkConnection, message: FromExtension) -> None:
        if message.seq == 2:
            link.close()

    handler = Recorder(react=close)
    async with serving(listening[0], handler), dialled(listening[1]) as peer:
        await peer.say(HELLO, Title(seq=2, title="a"), Title(seq=3, title="b"))
        await peer.hears_the_end()
        assert handler.events == ["opened 4711-99", "Title 2"]
        await until(lambda: len(handler.ended) == 1)
        assert handler.ended[0].why == "closed"


@pytest.mark.parametrize("theirs", [ProtocolRange(0, 0), ProtocolRange(2, 9)], ids=["older", "newer"])
async def test_one_without_a_common_protocol_reads_the_refusal_before_the_end(
    listening: tuple[socket.socket, str], theirs: ProtocolRange
) -> None:
    handler = Recorder()
    async with serving(listening[0], handler), dialled(listening[1]) as peer:
        await peer.say(msgspec.structs.replace(HELLO, protocol=theirs))
        refused = await peer.hear()
        assert isinstance(refused, Refused)
        await peer.hears_the_end()
        await until(lambda: len(handler.ended) == 1)
        assert handler.ended[0].why == "refused"
        assert handler.links == []


async def test_the_handler_may_refuse_the_wrong_peer(listening: tuple[socket.socket, str]) -> None:
    async with serving(listening[0], Recorder(verdict="not you")), dialled(listening[1]) as peer:
        await peer.say(HELLO)
        assert await peer.hear() == Refused(seq=1, code="peer", message="not you")
        await peer.hears_the_end()


async def test_another_users_process_is_turned_away(listening: tuple[socket.socket, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptor, "peer_of", lambda _: Peer(1, os.getuid() + 1))
    async with serving(listening[0], Recorder()) as served, dialled(listening[1]) as peer:
        refused = await peer.hear()
        assert isinstance(refused, Refused)
        assert refused.code == "peer"
        await peer.hears_the_end()
        assert served.turned_away == 1


@pytest.mark.parametrize(("open_links", "admitted"), [(LINKS - 1, True), (LINKS, False)])
async def test_as_many_links_as_the_limit_says_and_not_one_more(
    listening: tuple[socket.socket, str], open_links: int, admitted: bool
) -> None:
    async with serving(listening[0], Recorder()) as served:
        served.links = open_links
        async with dialled(listening[1]) as peer:
            if admitted:
                await peer.say(HELLO)
                assert isinstance(await peer.hear(), Welcome)
                assert served.links == LINKS
            else:
                refused = await peer.hear()
                assert isinstance(refused, Refused)
                assert refused.code == "busy"


async def test_places_are_free_again_after_links_end(listening: tuple[socket.socket, str]) -> None:
    handler = Recorder()
    async with serving(listening[0], handler) as served:
        for number in range(1, 20):
            async with dialled(listening[1]):
                pass
            await until(lambda number=number: len(handler.ended) == number)  # type: ignore[misc]
        assert served.links == 0


async def test_a_silent_peer_is_given_up_at_the_hello_deadline(
    listening: tuple[socket.socket, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.link.HELLO_SECONDS", 0.05)
    handler = Recorder()
    async with serving(listening[0], handler), dialled(listening[1]) as peer:
        await peer.hears_the_end()
        await until(lambda: len(handler.ended) == 1)
        assert handler.ended[0].why == "expired"


async def test_a_peer_that_takes_nothing_is_cut_at_the_write_deadline(
    listening: tuple[socket.socket, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LINK_WRITE_SECONDS", 0.05)
    handler = Recorder()
    big = Response(seq=0, response_id="r", id="p", by=By("ada", "phone"), text="x" * 400_000)
    async with serving(listening[0], handler), dialled(listening[1]) as peer:
        await peer.say(HELLO)
        await until(lambda: len(handler.links) == 1)
        assert handler.links[0].send(big)
        await until(lambda: len(handler.ended) == 1)
        assert handler.ended == [Closed("closed", "it takes nothing more")]


async def test_what_waits_for_a_peer_is_bounded_also_while_a_write_waits(listening: tuple[socket.socket, str]) -> None:
    handler = Recorder()
    big = Response(seq=0, response_id="r", id="p", by=By("ada", "phone"), text="x" * 400_000)
    async with serving(listening[0], handler), dialled(listening[1]) as peer:
        await peer.say(HELLO)
        await until(lambda: len(handler.links) == 1)
        sent = 0
        with anyio.fail_after(LINK_WRITE_SECONDS / 2):
            while handler.links[0].send(big):
                sent += 1
                await checkpoint()
            await until(lambda: len(handler.ended) == 1)
        assert sent * 400_000 < 2 * LINK_OUTBOX_BYTES
        assert handler.ended == [Closed("closed", "too much waits for it")]


async def test_without_descriptors_the_accept_loop_pauses_and_recovers(
    listening: tuple[socket.socket, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acceptor, "ACCEPT_PAUSE_SECONDS", 0.05)
    tries: list[int] = []

    class Exhausted:
        """The listening socket of a process that has no descriptor left, three times."""

        def fileno(self) -> int:
            return listening[0].fileno()

        def accept(self) -> tuple[socket.socket, object]:
            tries.append(1)
            if len(tries) <= 3:
                raise OSError(errno.EMFILE, "Too many open files")
            return listening[0].accept()

    started = anyio.current_time()
    async with serving(Exhausted(), Recorder()), dialled(listening[1]) as peer:  # type: ignore[arg-type]
        await peer.say(HELLO)
        assert isinstance(await peer.hear(), Welcome)
    assert len(tries) == 4
    assert anyio.current_time() - started >= 3 * 0.05


async def test_after_stop_accepting_nobody_gets_in_and_who_is_in_stays(listening: tuple[socket.socket, str]) -> None:
    handler = Recorder()
    served = Listener(listening[0], DAEMON, handler, lambda: 1_000)
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks, dialled(listening[1]) as peer:
            tasks.start_soon(served.serve)
            await peer.say(HELLO)
            await peer.hear()
            served.stop_accepting()
            async with dialled(listening[1]) as late:
                await late.say(HELLO)
                await peer.say(Ping(seq=2, n=1))
                while not isinstance(await peer.hear(), Pong):
                    pass
                assert len(handler.links) == 1
            handler.links[0].close()
            await peer.hears_the_end()
