"""A session as a scripted daemon tells it to `mirrord attach`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from mirrord.wire import messages as wire
from tests.cli.commands import run
from tests.cli.prompts import session
from tests.client.scripted_daemon import Peer, control_socket

ENDED = wire.SessionChanged("changed", session(state="ended"))


def snapshot(*prompts: wire.ExtensionUIRequest) -> wire.Snapshot:
    return wire.Snapshot(
        session_id="1-1",
        cursor="e:1",
        session=session(name="notes"),
        prompts=prompts,
        statuses=(wire.StatusEntry("job", "building"),),
        title=None,
        working=wire.Working(active=False, since=1),
    )


def settled(prompt_id: str, answer: str | None = None) -> wire.ExtensionUISettled:
    return wire.ExtensionUISettled(session_id="1-1", id=prompt_id, outcome="answered", winner="terminal", at=1, answer=answer)


def accepted(response: dict[str, Any]) -> wire.ResponseResult:
    return wire.ResponseResult(response_id=response["responseId"], id=response["id"], accepted=True)


async def attached(peer: Peer, *prompts: wire.ExtensionUIRequest) -> None:
    """From hello to the snapshot."""
    await peer.welcome()
    assert (await peer.hear())["type"] == "subscribe"
    await peer.say(snapshot(*prompts))


async def and_wait(script: Callable[[Peer], Awaitable[None]], peer: Peer) -> None:
    await script(peer)
    await peer.socket.wait_closed()


async def piped(runtime: Path, script: Callable[[Peer], Awaitable[None]], *arguments: str, stdin: str = "") -> tuple[int, str, str]:
    """Exit status, stdout and stderr of `mirrord attach` with this on its stdin."""

    async def serve(peer: Peer) -> None:
        await script(peer)
        await peer.socket.wait_closed()

    async with control_socket(runtime, serve):
        done = await anyio.to_thread.run_sync(partial(run, runtime.parent, "attach", *arguments, stdin=stdin))
    return done.returncode, done.stdout, done.stderr
