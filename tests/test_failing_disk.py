"""Promise: a daemon whose disk fails whatever its store asks goes on: sessions, prompts and answers need no disk.

What has to be kept is refused with a sentence, and it needs nothing but a disk that works again.
"""

from __future__ import annotations

import anyio
import anyio.to_thread
import pytest

from bridge import messages as bridge
from mirrord.client import CommandRefused, Connection, Local, Remote, connect
from mirrord.daemon.receipts import NOT_WRITABLE
from mirrord.detached import spawn_detached
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from tests.store.test_faults import FAULTS, failing, needs_strace
from tests.test_turns_on_disk import chatting, submit

PROMPTS = 3


async def answered(phone: Connection, terminal: FakeExtension, number: int) -> None:
    """Pi asks, the phone answers, and everybody learns of it."""
    name = f"p{number}"
    prompt = bridge.Prompt(id=name, method="select", title="Pick a fruit", opened_at=1_000, options=("apple", "banana"), option_count=2)
    await terminal.say(bridge.PromptOpened(seq=0, prompt=prompt))
    assert (await phone.until(wire.ExtensionUIRequest)).id == name
    await phone.send(wire.ExtensionUIResponse(id=name, response_id=f"phone/{number}", index=1))
    response = await terminal.until(bridge.Response)
    assert (response.id, response.index) == (name, 1)
    answer = bridge.Answer(index=1, label="banana")
    await terminal.say(
        bridge.PromptSettled(seq=0, id=name, outcome="answered", winner="remote", at=2_000, response_id=response.response_id, answer=answer)
    )
    assert (await phone.until(wire.ResponseResult)).accepted


async def refused(owner: Connection, name: str) -> str:
    """Why no device of this name can be paired; nothing when it is."""
    try:
        await owner.request("pair", dict, {"name": name})
    except CommandRefused as error:
        return str(error)
    return ""


@needs_strace
@pytest.mark.parametrize("error", ["ENOSPC", pytest.param("EIO", marks=pytest.mark.soak)])
async def test_it_serves_sessions_prompts_and_answers_and_refuses_what_must_be_kept(at_home: Settings, pi_pid: int, error: str) -> None:
    paths, calls = at_home.paths, ",".join(sorted({call for fault, call in FAULTS if fault == error}))
    info = await anyio.to_thread.run_sync(spawn_detached, at_home)
    local, first = Local(paths.control_socket), chatting(pi_pid)
    async with connect(local, name="owner", kind="cli") as owner, fake_extension(paths.bridge_socket, first) as terminal:
        paired = await owner.request("pair", dict, {"name": "phone", "role": "controller"})
        remote = Remote(paired["url"], paired["token"])
        with failing(info.pid, paths.state_dir, f"{calls}:error={error}:when=1+") as log:
            assert "make room" in await refused(owner, "during")
            async with connect(remote, name="Ada's phone", kind="phone", capabilities=SERVER_CAPABILITIES) as phone:
                await phone.subscribe(first.terminal.id)
                for number in range(PROMPTS):
                    await answered(phone, terminal, number)
                lost = await submit(phone, first.terminal.id, "turn-1")
                assert (lost.stage, lost.reason) == ("rejected", NOT_WRITABLE)
            # Another Pi comes, and the device once more.
            async with (
                fake_extension(paths.bridge_socket, hello(pi_pid, name="second")),
                connect(remote, name="Ada's phone", kind="phone") as again,
            ):
                assert len(again.welcome.sessions) == 2
            assert b"INJECTED" in log.read_bytes()
        assert await refused(owner, "after") == ""
        assert [device["name"] for device in (await owner.request("devices", dict))["devices"]] == ["phone", "after"]
        assert (await owner.request("status", dict))["pid"] == info.pid
