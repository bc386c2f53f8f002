"""Promise: what a terminal says reaches every client, an answer from afar reaches the terminal, and the daemon stops in order."""

from __future__ import annotations

from bridge import messages as bridge
from mirrord.client import Local, Remote, connect
from mirrord.clock import SystemClock
from mirrord.daemon import Daemon
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from mirrord.wire.roles import Role

PROMPT = bridge.Prompt(id="p1", method="select", title="Pick a fruit", opened_at=1_000, options=("apple", "banana"), option_count=2)


async def paired(daemon: Daemon, name: str = "phone", role: Role = Role.CONTROLLER) -> Remote:
    """A new device."""
    minted = await daemon.place.store.mint(name, role)
    return Remote(daemon.runner.url, minted.token)


async def test_a_remote_answer_reaches_the_terminal_and_its_verdict_reaches_everybody(
    own_settings: Settings, own_place: Place, pi_pid: int
) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(own_settings.paths.bridge_socket, hello(pi_pid), PROMPT) as terminal,
        connect(await paired(daemon), name="Ada's phone", kind="phone", capabilities=SERVER_CAPABILITIES) as phone,
        connect(Local(own_settings.paths.control_socket), name="attach", kind="attach", capabilities=SERVER_CAPABILITIES) as local,
    ):
        assert (phone.welcome.role, local.welcome.role) == ("controller", "owner")
        (session,) = phone.welcome.sessions
        for client in (phone, local):
            await client.send(wire.Subscribe(session_id=session.session_id))
            snapshot = await client.until(wire.Snapshot)
            assert [prompt.title for prompt in snapshot.prompts] == ["Pick a fruit"]

        await phone.send(wire.ExtensionUIResponse(id="p1", response_id="r1", index=1))
        response = await terminal.until(bridge.Response)
        assert (response.id, response.index, response.by) == ("p1", 1, bridge.By("phone", "phone"))

        answer = bridge.Answer(index=1, label="banana")
        await terminal.say(
            bridge.PromptSettled(
                seq=0, id="p1", outcome="answered", winner="remote", at=2_000, response_id=response.response_id, answer=answer
            )
        )
        for client in (phone, local):
            settled = await client.until(wire.ExtensionUISettled)
            assert (settled.winner, settled.winner_name, settled.answer) == ("remote", "phone", "banana")
        assert (await phone.until(wire.ResponseResult)).accepted
        await terminal.settled()
