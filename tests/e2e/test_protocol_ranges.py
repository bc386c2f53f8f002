"""Promise: an extension and a daemon of different age work together where they can, else a person is told in one sentence what to do.

Both ways round: the real daemon with an extension of another protocol, and the real extension in Pi with a daemon of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import anyio
import msgspec
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from bridge import messages as bridge
from bridge.messages import PROTOCOL_MAX, PROTOCOL_MIN
from mirrord.client import Local, connect
from mirrord.demo.pi_home import PiHome
from mirrord.testing import FakeExtension, hello
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from tests.e2e.play import Play
from tests.e2e.stage import Daemon, Stage, is_reload, stage, until
from tests.harness.pi import GENERATIONS, PiKind, environment

OLDER, NEWER = PROTOCOL_MIN - 1, PROTOCOL_MAX + 1
PROMPT = bridge.Prompt(id="p1", method="select", title="Pick a fruit", opened_at=1_000, options=("apple", "banana"), option_count=2)


class Hologram(msgspec.Struct, frozen=True, tag_field="type", tag="hologram"):
    """A message of a later protocol."""

    seq: int = 0
    depth: int = 3


@pytest.fixture
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal("asyncio") as portal:
        yield portal


@pytest.fixture
def daemon(portal: BlockingPortal, home: PiHome) -> Iterator[Daemon]:
    daemon = Daemon(portal, home, environment(home))
    daemon.start()
    yield daemon
    daemon.end()


def speaking(lowest: int, highest: int, pid: int | None = None) -> bridge.Hello:
    """The hello of an extension that speaks these, in the Pi with this pid."""
    return msgspec.structs.replace(hello(pid), protocol=bridge.ProtocolRange(lowest, highest))


@pytest.mark.parametrize(
    ("protocol", "code", "advice"),
    [(OLDER, "protocol_too_old", "type /reload in this Pi"), (NEWER, "protocol_too_new", "start `mirrord serve` again")],
)
def test_an_extension_of_another_protocol_is_told_what_to_do_and_so_is_who_asks(
    portal: BlockingPortal, daemon: Daemon, protocol: int, code: str, advice: str
) -> None:
    async def greet() -> bridge.FromDaemon:
        async with await anyio.connect_unix(str(daemon.paths.bridge_socket)) as stream:
            extension = FakeExtension(stream)
            await extension.say(speaking(protocol, protocol))
            refused = await extension.hear()
            with pytest.raises(anyio.EndOfStream):
                await extension.hear()
            return refused

    refused = portal.call(greet)
    assert isinstance(refused, bridge.Refused)
    assert refused.code == code
    assert refused.message.endswith(advice)
    assert "\n" not in refused.message

    until(lambda: daemon.refusals() == [refused.message], 5, "mirrord status does not tell")


@pytest.mark.parametrize("protocols", [(OLDER, PROTOCOL_MAX), (PROTOCOL_MIN, NEWER)], ids=["older", "newer"])
def test_an_extension_that_shares_one_protocol_works_and_what_the_daemon_does_not_know_is_ignored(
    portal: BlockingPortal, daemon: Daemon, protocols: tuple[int, int], pi_pid: int
) -> None:
    async def play() -> bridge.Response:
        async with (
            await anyio.connect_unix(str(daemon.paths.bridge_socket)) as stream,
            connect(Local(daemon.paths.control_socket), name="owner", kind="test", capabilities=SERVER_CAPABILITIES) as owner,
        ):
            extension = FakeExtension(stream)
            await extension.say(speaking(*protocols, pi_pid))
            assert (await extension.until(bridge.Welcome)).protocol == min(PROTOCOL_MAX, protocols[1])
            opened = bridge.PromptOpened(seq=0, prompt=PROMPT)
            hologram = cast("bridge.FromExtension", Hologram())
            await extension.say(bridge.ResyncBegin(seq=0), opened, hologram, bridge.ResyncEnd(seq=0))
            await extension.settled()
            added = await owner.until(wire.SessionChanged)
            snapshot = await owner.subscribe(added.session.session_id)
            assert [prompt.title for prompt in snapshot.prompts] == ["Pick a fruit"]
            await owner.send(wire.ExtensionUIResponse(id="p1", response_id="r1", index=1))
            return await extension.until(bridge.Response)

    response = portal.call(play)
    assert (response.id, response.index) == ("p1", 1)


def reload(here: Stage) -> None:
    reloads = sum(is_reload(record) for record in here.log.records())
    here.pi.settle()
    here.pi.line("/reload")
    here.log.wait(is_reload, count=reloads + 1)


def is_refused_and_says(here: Stage, protocol: int, advice: str) -> None:
    """A daemon that speaks nothing else refuses the extension, and the person who asks in Pi reads what to do."""
    here.daemon.start((protocol, protocol))
    reload(here)
    until(lambda: len(here.daemon.refusals()) == 1, 10, "the extension was not refused")
    here.pi.settle()
    here.pi.line("/mirrord status")
    # The sentence may be broken by the width of the terminal.
    here.pi.wait_for(lambda text: advice in " ".join(text.split()))
    here.daemon.end()


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_pi_lives_with_daemons_of_every_age_and_says_what_to_do(kind: PiKind) -> None:
    with stage(kind, "-e", daemon=False) as here:
        is_refused_and_says(here, NEWER, "type /reload in this Pi")
        is_refused_and_says(here, OLDER, "start `mirrord serve` again")
        here.daemon.start((OLDER, NEWER))
        # After a refusal it waits for a minute, unless it is loaded anew.
        reload(here)
        play = Play(here)
        asked = play.ask("select")
        assert play.phone.answer(asked.id, index=1).accepted
        assert play.value(asked) == "banana"
        play.everybody_is_told(asked, "answered", "remote", by="phone", answer="banana")
        play.screen_is_back(asked)
