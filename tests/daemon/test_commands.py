"""Promise: the owner sees the whole state, makes credentials that work, and stops the daemon; every refusal is one sentence."""

from __future__ import annotations

import os

import anyio
import pytest

from mirrord import __version__
from mirrord.client import (
    BadCredential,
    CommandRefused,
    Connection,
    ConnectionLost,
    DeviceInfo,
    Devices,
    Local,
    Paired,
    PairingCode,
    PairingOutcome,
    Remote,
    authenticate,
    connect,
    pair,
)
from mirrord.clock import SystemClock
from mirrord.daemon.commands import resident_bytes
from mirrord.pairing.offers import OFFER_SECONDS
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import FakeClock, fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.roles import MINIMUM_COMMAND_ROLE, Role


async def refusal(client: Connection, name: str, args: dict[str, object]) -> str:
    """The code of the daemon's no."""
    with pytest.raises(CommandRefused) as refused:
        await client.request(name, dict, args)
    assert "\n" not in str(refused.value)
    return refused.value.code


async def test_status_tells_everything_that_a_script_needs(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    paths = own_settings.paths
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(paths.bridge_socket, hello(pi_pid)),
        connect(Local(paths.control_socket), name="me", kind="cli") as me,
    ):
        status = await me.request("status", dict)
        port = daemon.runner.port
        assert status | {"uptime": 0, "startedAt": 0, "memory": {}, "sessions": [], "store": {}, "moved": {}} == {
            "version": __version__,
            "pid": os.getpid(),
            "url": f"ws://127.0.0.1:{port}/v1/ws",
            "port": port,
            "socket": str(paths.control_socket),
            "bridgeSocket": str(paths.bridge_socket),
            "uptime": 0,
            "startedAt": 0,
            "managed": False,
            "idleExit": None,
            "sessions": [],
            "clients": [{"name": "me", "kind": "cli", "role": "owner", "credential": "local"}],
            "links": [{"pid": pi_pid, "bridgeVersion": "0.1.0", "path": "/extension/mirrord", "protocol": 1}],
            "memory": {},
            "moved": {},
            "store": {},
            "retention": {"days": 14, "bytes": 16 * 1024 * 1024},
            "hook": {"runs": 0, "failures": 0, "dropped": 0},
            "counters": {
                "gateRefused": 0,
                "clientsEvicted": 0,
                "notificationsDropped": 0,
                "surfacesGivenWay": 0,
                "memoryGivenWay": 0,
                "linksBroken": 0,
                "unknownMessages": 0,
            },
        }
        assert [session["pid"] for session in status["sessions"]] == [pi_pid]
        memory = status["memory"]
        assert 10_000_000 < memory["rss"] < 1_000_000_000
        assert memory["held"].keys() == {"conversations", "journals", "surfaces", "prompts", "handoffs", "outboxes"}
        assert all(size < memory["mostPerSession"] for size in memory["held"].values())
        assert status["moved"]["fromTerminals"]["count"] > 0
        assert (status["store"]["devices"], status["store"]["setAside"]) == (0, [])
        assert 0 < status["store"]["bytes"] < 1_000_000
        assert 0 <= status["uptime"] < 60


@pytest.mark.parametrize("role", ["controller", "observer"])
async def test_a_paired_device_connects_with_its_role(own_settings: Settings, own_place: Place, role: wire.RoleName) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        connect(Local(own_settings.paths.control_socket), name="me", kind="cli") as me,
    ):
        paired = await me.request("pair", Paired, {"name": "Ada's \u200bphone", "role": role})
        assert (paired.name, paired.role) == ("Ada's phone", role)
        async with connect(Remote(paired.url, paired.token), name="phone", kind="phone") as phone:
            assert phone.welcome.role == role
            for name, minimum in MINIMUM_COMMAND_ROLE.items():
                # What the role may run is read, and then its arguments are what is wrong.
                assert await refusal(phone, name, {"strange": True}) == ("forbidden" if minimum > Role[role.upper()] else "malformed")
        with pytest.raises(BadCredential):
            async with connect(Remote(paired.url, f"{paired.token}x"), name="phone", kind="phone"):
                pass


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({}, "command_refused"),
        ({"name": 7}, "command_refused"),
        ({"name": "x", "role": "king"}, "command_refused"),
        ({"name": "x", "role": "owner"}, "command_refused"),
        ({"name": "x", "colour": "red"}, "command_refused"),
        ({"name": "\u200b"}, "bad_name"),
        ({"name": "local"}, "bad_name"),
        ({"name": "taken"}, "name_taken"),
    ],
)
async def test_a_pairing_that_cannot_be_is_refused_and_makes_nothing(
    own_settings: Settings, own_place: Place, args: dict[str, object], code: str
) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        connect(Local(own_settings.paths.control_socket), name="me", kind="cli") as me,
    ):
        await me.request("pair", Paired, {"name": "taken"})
        assert await refusal(me, "pair", args) == code
        assert [credential.name for credential in own_place.store.credentials] == ["taken"]


async def test_a_code_pairs_a_device_and_who_waits_is_told_which(own_settings: Settings, own_place: Place) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        connect(Local(own_settings.paths.control_socket), name="me", kind="cli") as me,
    ):
        made = await me.request("pair_code", PairingCode, {"role": "observer"})
        assert made.page == f"http://127.0.0.1:{daemon.runner.port}/"
        assert made.url == f"{made.page}#pair={made.code}"
        assert (made.role, made.code in repr(made)) == ("observer", False)
        outcomes: list[PairingOutcome] = []

        async def wait() -> None:
            outcomes.append(await me.request("pair_wait", PairingOutcome, {"offer": made.offer}))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await pair(made.url, made.code, "phone")
        assert outcomes == [PairingOutcome("used", "observer", "phone")]
        # Also for who asks after it has ended.
        assert await me.request("pair_wait", PairingOutcome, {"offer": made.offer}) == outcomes[0]
        replaced = await me.request("pair_code", PairingCode)
        assert (await me.request("pair_code", PairingCode)).role == "controller"
        assert await me.request("pair_wait", PairingOutcome, {"offer": replaced.offer}) == PairingOutcome("replaced", "controller")


async def test_who_waits_for_a_code_that_nobody_uses_is_told_when_it_is_old(own_settings: Settings, own_place: Place) -> None:
    clock = FakeClock()
    async with (
        running_daemon(own_place, own_settings, clock),
        connect(Local(own_settings.paths.control_socket), name="me", kind="cli") as me,
    ):
        made = await me.request("pair_code", PairingCode)
        assert made.expires_at == clock.wall() + round(OFFER_SECONDS * 1000)
        clock.advance(OFFER_SECONDS)
        assert await me.request("pair_wait", PairingOutcome, {"offer": made.offer}) == PairingOutcome("old", "controller")


async def test_devices_of_both_kinds_are_listed_renamed_and_revoked(own_settings: Settings, own_place: Place) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        connect(Local(own_settings.paths.control_socket), name="me", kind="cli") as me,
    ):
        script = await me.request("pair", Paired, {"name": "script", "role": "observer"})
        made = await me.request("pair_code", PairingCode)
        identity = await pair(made.url, made.code, "phone")
        token = (await authenticate(made.url, identity)).token
        async with (
            connect(Remote(script.url, token), name="page", kind="web") as page,
            connect(Remote(script.url, script.token), name="script", kind="script") as running,
        ):
            listed = (await me.request("devices", Devices)).devices
            assert [(each.name, each.role, each.kind, each.connections) for each in listed] == [
                ("script", "observer", "token", 1),
                ("phone", "controller", "paired", 1),
            ]
            renamed = await me.request("device_rename", DeviceInfo, {"name": "phone", "to": "Ada's phone"})
            assert (renamed.id, renamed.name) == (identity.device, "Ada's phone")
            assert await refusal(me, "device_rename", {"name": "script", "to": "Ada's phone"}) == "name_taken"
            await me.request("device_revoke", type(None), {"name": "Ada's phone"})
            await me.request("device_revoke", type(None), {"name": "script"})
            for cut in (page, running):
                with pytest.raises(ConnectionLost) as lost, anyio.fail_after(5):
                    await cut.receive()
                assert (lost.value.code, lost.value.reason) == (1008, "revoked")
        assert (await me.request("devices", Devices)).devices == ()


@pytest.mark.parametrize(
    ("command", "args", "code"),
    [
        ("pair_code", {"role": "owner"}, "command_refused"),
        ("pair_code", {"colour": "red"}, "command_refused"),
        ("pair_wait", {}, "command_refused"),
        ("pair_wait", {"offer": "nobody's"}, "command_refused"),
        ("devices", {"all": True}, "command_refused"),
        ("device_rename", {"name": "x"}, "command_refused"),
        ("device_rename", {"name": "nobody", "to": "x"}, "no_such_device"),
        ("device_rename", {"name": "known", "to": "local"}, "bad_name"),
        ("device_revoke", {}, "command_refused"),
        ("device_revoke", {"name": "nobody\x1b[2J"}, "no_such_device"),
    ],
)
async def test_what_cannot_be_done_with_devices_is_one_sentence(
    own_settings: Settings, own_place: Place, command: str, args: dict[str, object], code: str
) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        connect(Local(own_settings.paths.control_socket), name="me", kind="cli") as me,
    ):
        await me.request("pair", Paired, {"name": "known"})
        assert await refusal(me, command, args) == code
        assert [device.name for device in own_place.store.devices] == ["known"]


async def test_two_pairings_of_one_name_at_once_make_one_credential(own_settings: Settings, own_place: Place) -> None:
    codes: list[str] = []
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        connect(Local(own_settings.paths.control_socket), name="me", kind="cli") as me,
    ):
        for number in range(4):
            await me.send(wire.Command(request_id=str(number), name="pair", args={"name": "twin"}))
        for _ in range(4):
            result = await me.until(wire.CommandResult)
            codes.append("ok" if result.error is None else result.error.code)
    assert sorted(codes) == ["name_taken", "name_taken", "name_taken", "ok"]


async def test_stop_is_answered_before_the_daemon_ends(own_settings: Settings, own_place: Place) -> None:
    with anyio.fail_after(5):
        async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
            async with connect(Local(own_settings.paths.control_socket), name="me", kind="cli") as me:
                await me.request("stop", type(None))
            await daemon._stopping.wait()
            assert daemon.status == 0


def test_memory_is_that_of_this_process() -> None:
    assert 5_000_000 < resident_bytes() < 10_000_000_000
