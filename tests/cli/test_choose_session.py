"""Promise: a word means one living session, or the person is told which ones there are."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import anyio.to_thread
import msgspec
import pytest

from mirrord.cli.choose_session import NoSession, SeveralSessions, UnknownSession, choose
from mirrord.demo.terminal import Terminal
from tests.cli.commands import MIRRORD, PATIENCE, environment, run
from tests.cli.prompts import session
from tests.client.scripted_daemon import WELCOME, Peer, control_socket

NOTES = session("4711-90", name="notes", conversation="conv-a")
WEB = session("4712-91", name="web", conversation="conv-b")
GONE = session("4713-92", name="gone", state="ended")


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [("4711-90", NOTES), ("4712", WEB), ("notes", NOTES), ("conv-b", WEB)],
)
def test_an_id_its_beginning_or_a_name_chooses(wanted: str, chosen: object) -> None:
    assert choose([NOTES, WEB, GONE], wanted) is chosen


def test_the_only_living_session_needs_no_word() -> None:
    assert choose([GONE, WEB], None) is WEB


def test_a_whole_id_wins_over_ids_that_begin_with_it() -> None:
    short = session("47")
    assert choose([NOTES, short], "47") is short


def test_without_a_word_several_are_listed() -> None:
    with pytest.raises(SeveralSessions, match=r"^several sessions: 4711-90 \(notes\), 4712-91 \(web\); say which: mirrord attach 4711-90$"):
        choose([NOTES, WEB], None)


@pytest.mark.parametrize(
    "arguments", [("attach",), ("attach", "--screen"), ("attach", "--json"), ("record",), ("send", "1", "text")], ids=" ".join
)
async def test_the_verb_that_was_called_is_named(runtime: Path, arguments: tuple[str, ...]) -> None:
    async def serve(peer: Peer) -> None:
        await peer.hear()
        await peer.say(msgspec.structs.replace(WELCOME, sessions=(session("1-1", name="notes"), session("1-2", name="web"))))
        await peer.socket.wait_closed()

    async with control_socket(runtime, serve):
        done = await anyio.to_thread.run_sync(run, runtime.parent, *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"mirrord: several sessions: 1-1 (notes), 1-2 (web); say which: mirrord {arguments[0]} 1-1\n"


async def test_so_it_is_full_screen(runtime: Path) -> None:
    async def serve(peer: Peer) -> None:
        await peer.hear()
        await peer.say(msgspec.structs.replace(WELCOME, sessions=(session("1-1", name="notes"), session("1-2", name="web"))))
        await peer.socket.wait_closed()

    async with control_socket(runtime, serve):
        make = partial(Terminal, [*MIRRORD, "tui", "1-"], env=environment(runtime.parent), cwd=runtime, columns=140, rows=30)
        terminal = await anyio.to_thread.run_sync(make)
        try:
            wait = partial(terminal.wait_for, "say which: mirrord tui 1-1", PATIENCE)
            await anyio.to_thread.run_sync(wait)
        finally:
            await anyio.to_thread.run_sync(terminal.close)


def test_a_beginning_of_several_ids_is_not_enough() -> None:
    with pytest.raises(SeveralSessions):
        choose([NOTES, WEB], "471")


def test_an_unknown_word_is_told_what_there_is() -> None:
    with pytest.raises(UnknownSession, match=r"^no session is called 'nope'; there are: 4711-90 \(notes\)$"):
        choose([NOTES], "nope")


def test_an_ended_session_cannot_be_chosen() -> None:
    with pytest.raises(NoSession, match="start one with `mirrord pi`"):
        choose([GONE], "4713-92")


def test_a_long_list_is_cut() -> None:
    many = [session(f"{number}-1") for number in range(20)]
    with pytest.raises(SeveralSessions, match="and 8 more;"):
        choose(many, None)
