"""Promise: who holds the code becomes a device, both sides prove themselves, and who holds nothing gets nothing, slowly and seldom."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import msgspec
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from mirrord import client as library
from mirrord import crypto
from mirrord.client import BadCredential, ConnectionLost, Identity, NotGenuine, PairingRefused, Remote
from mirrord.clock import Clock, SystemClock
from mirrord.crypto import SigningKey, to_text
from mirrord.daemon.daemon import Daemon
from mirrord.errors import NoSuchDevice
from mirrord.pairing.code import shown
from mirrord.pairing.offers import OFFER_SECONDS, TRIES
from mirrord.pairing.tokens import TOKEN_SECONDS
from mirrord.place import Place
from mirrord.server.rate import BURST, FailureRate
from mirrord.server.socket import PAIRING_PLACES
from mirrord.settings import Settings
from mirrord.testing import FakeClock, running_daemon
from mirrord.wire import pairing as wire
from mirrord.wire.messages import Unsubscribe
from mirrord.wire.roles import Role

WRONG = "00000-00000"


class World:
    """A running daemon with codes."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.url = f"http://127.0.0.1:{daemon.runner.port}"

    async def code(self, role: wire.DeviceRole = "controller") -> str:
        return (await self.daemon.desk.offer(role)).code

    async def paired(self, role: wire.DeviceRole = "controller", name: str = "phone") -> Identity:
        return await library.pair(self.url, await self.code(role), name)

    async def refused(self, code: str) -> PairingRefused:
        with pytest.raises(PairingRefused) as caught:
            await library.pair(self.url, code, "phone")
        return caught.value

    async def remote(self, identity: Identity) -> Remote:
        return Remote(f"ws://127.0.0.1:{self.daemon.runner.port}", (await library.authenticate(self.url, identity)).token)

    @asynccontextmanager
    async def dial(self, **options: Any) -> AsyncIterator[ClientConnection]:
        """A connection below the client library."""
        async with connect(
            f"ws://127.0.0.1:{self.daemon.runner.port}/v1/pair",
            subprotocols=[Subprotocol("mirrord.pair.v1")],
            compression=None,
            proxy=None,
            close_timeout=1,
            **options,
        ) as socket:
            yield socket


@asynccontextmanager
async def world(settings: Settings, place: Place, clock: Clock | None = None) -> AsyncIterator[World]:
    async with running_daemon(place, settings, clock or SystemClock()) as daemon:
        yield World(daemon)


async def reply(socket: ClientConnection, frame: str | bytes) -> dict[str, Any]:
    """What the daemon says to one frame."""
    await socket.send(frame)
    with anyio.fail_after(5):
        said: dict[str, Any] = json.loads(await socket.recv())
    return said


async def end(socket: ClientConnection) -> tuple[int | None, str]:
    """Close code and reason, once it is closed."""
    with anyio.fail_after(5), pytest.raises(ConnectionClosed):
        await socket.recv()
    return socket.close_code, socket.close_reason or ""


async def asking(code: str, host: str, key: SigningKey) -> str:
    """The frame that says: I hold this code, at this host."""
    asked = wire.Pair(nonce=to_text(bytes(16)), public_key=to_text(key.public), name="n", proof="")
    code_key = await anyio.to_thread.run_sync(crypto.code_key, code)
    return msgspec.json.encode(
        msgspec.structs.replace(asked, proof=to_text(crypto.proof(code_key, *wire.client_proof(host, asked))))
    ).decode()


# ---- becoming a device -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["controller", "observer"])
async def test_who_holds_the_code_becomes_a_device_and_connects_in_its_role(
    own_settings: Settings, own_place: Place, role: wire.DeviceRole
) -> None:
    async with world(own_settings, own_place) as here:
        identity = await library.pair(here.url, shown(await here.code(role)).lower(), "Ada's \u200bphone")
        assert (identity.name, identity.role) == ("Ada's phone", role)
        assert identity.daemon_key == own_place.store.identity.public
        (device,) = own_place.store.devices
        assert (device.id, device.public_key) == (identity.device, identity.key.public)
        async with library.connect(await here.remote(identity), name="page", kind="web") as page:
            assert page.welcome.role == role
            (client,) = here.daemon.clients._open.values()
            assert (client.credential, client.device) == ("Ada's phone", identity.device)


async def test_a_code_pairs_once_and_who_comes_late_is_told_what_became_of_it(own_settings: Settings, own_place: Place) -> None:
    async with world(own_settings, own_place) as here:
        assert (await here.refused(WRONG)).code == "no_code"
        first = await here.code()
        second = await here.code()
        assert (await here.refused(first)).code == "old_code"
        await library.pair(here.url, second, "phone")
        assert (await here.refused(second)).code == "used_code"
        assert (await here.refused(WRONG)).code == "no_code"
        assert len(own_place.store.devices) == 1


async def test_a_code_is_old_after_its_time(own_settings: Settings, own_place: Place) -> None:
    clock = FakeClock()
    async with world(own_settings, own_place, clock) as here:
        code = await here.code()
        clock.advance(OFFER_SECONDS)
        assert (await here.refused(code)).code == "old_code"


async def test_tries_are_counted_on_disk_before_they_are_judged_and_the_right_code_is_too_late_after_the_last(
    own_settings: Settings, own_place: Place
) -> None:
    async with world(own_settings, own_place) as here:
        code = await here.code()
        left = [(await here.refused(WRONG)).tries_left for _ in range(TRIES)]
        assert left == [4, 3, 2, 1, 0]
        assert (await here.refused(code)).code == "too_many_tries"
        assert (await here.refused(WRONG)).code == "no_code"
        assert own_place.store.devices == ()

        def counted() -> int:
            with closing(sqlite3.connect(own_place.store.path)) as db:
                return int(db.execute("SELECT tries FROM pairing_tries").fetchone()[0])

        assert await anyio.to_thread.run_sync(counted) == TRIES


async def test_many_who_try_at_once_have_no_more_tries_than_one(own_settings: Settings, own_place: Place) -> None:
    left: list[int | None] = []
    async with world(own_settings, own_place) as here:
        await here.code()

        async def attempt() -> None:
            left.append((await here.refused(WRONG)).tries_left)

        async with anyio.create_task_group() as tasks:
            for _ in range(PAIRING_PLACES - 2):
                tasks.start_soon(attempt)
    assert sorted(number for number in left if number is not None) == [0, 1, 2, 3, 4]


async def test_two_who_hold_the_code_at_once_make_one_device(own_settings: Settings, own_place: Place) -> None:
    ended: list[str] = []
    async with world(own_settings, own_place) as here:
        code = await here.code()

        async def attempt() -> None:
            try:
                await library.pair(here.url, code, "phone")
                ended.append("paired")
            except PairingRefused as refused:
                ended.append(refused.code)

        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(attempt)
        assert sorted(ended) == ["paired", "used_code", "used_code", "used_code"]
        assert len(own_place.store.devices) == 1


async def test_a_disk_that_cannot_count_judges_nothing(own_settings: Settings, own_place: Place) -> None:
    async with world(own_settings, own_place) as here:
        code = await here.code()
        own_place.store._db.execute("PRAGMA query_only = ON")
        assert (await here.refused(code)).code == "store_not_writable"
        own_place.store._db.execute("PRAGMA query_only = OFF")
        await library.pair(here.url, code, "phone")


async def test_a_device_that_pairs_again_in_another_role_starts_anew(own_settings: Settings, own_place: Place) -> None:
    async with world(own_settings, own_place) as here:
        first = await here.paired("observer")
        async with library.connect(await here.remote(first), name="page", kind="web") as page:
            again = await library.pair(here.url, await here.code("controller"), "phone", first.key)
            assert (again.device, again.role) == (first.device, "controller")
            with pytest.raises(ConnectionLost), anyio.fail_after(5):
                await page.receive()


async def test_a_proof_that_was_made_for_another_address_is_a_wrong_code(own_settings: Settings, own_place: Place) -> None:
    async with world(own_settings, own_place) as here, here.dial() as socket:
        code = await here.code()
        said = await reply(socket, await asking(code, f"localhost:{here.daemon.runner.port}", SigningKey.generate()))
        assert said["code"] == "wrong_code"
        assert await end(socket) == (1000, "")
        assert (await library.pair(f"ws://localhost:{here.daemon.runner.port}", code, "at localhost")).name == "at localhost"


# ---- tokens ----------------------------------------------------------------------------------------------------------


async def test_a_token_opens_several_connections_until_its_end_and_those_that_stand_stay(own_settings: Settings, own_place: Place) -> None:
    clock = FakeClock()
    async with world(own_settings, own_place, clock) as here:
        remote = await here.remote(await here.paired())
        async with library.connect(remote, name="one", kind="web") as one, library.connect(remote, name="two", kind="web"):
            clock.advance(TOKEN_SECONDS)
            with pytest.raises(BadCredential):
                async with library.connect(remote, name="three", kind="web"):
                    pass
            await one.send(Unsubscribe(session_id="s"))
            assert len(here.daemon.clients) == 2


async def test_another_daemon_at_the_address_gets_no_signature(own_settings: Settings, own_place: Place) -> None:
    async with world(own_settings, own_place) as here:
        identity = await here.paired()
        own_place.store.__dict__["identity"] = SigningKey.generate()
        with pytest.raises(NotGenuine):
            await library.authenticate(here.url, identity)


async def test_a_daemon_that_does_not_hold_the_code_is_not_believed(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(own_settings, own_place) as here:
        code = await here.code()
        monkeypatch.setattr("mirrord.pairing.desk.server_proof", lambda *_: ("something else",))
        with pytest.raises(NotGenuine):
            await library.pair(here.url, code, "phone")


async def test_an_unknown_device_and_a_wrong_signature_are_both_given_a_challenge_first(own_settings: Settings, own_place: Place) -> None:
    async with world(own_settings, own_place) as here:
        known = await here.paired()
        token = await own_place.store.mint("script", Role.CONTROLLER)
        assert token.token
        script = own_place.store.named("script").id
        for device, code in (("0123456789abcdef", "unknown_device"), (script, "unknown_device"), (known.device, "bad_signature")):
            async with here.dial() as socket:
                asked = {"type": "authenticate", "device": device, "nonce": to_text(bytes(16))}
                assert (await reply(socket, json.dumps(asked)))["type"] == "challenge"
                signature = to_text(SigningKey.generate().sign(b"anything"))
                assert (await reply(socket, json.dumps({"type": "answer", "signature": signature})))["code"] == code


async def test_a_device_gets_its_first_token_on_the_connection_on_which_it_was_paired(own_settings: Settings, own_place: Place) -> None:
    async with world(own_settings, own_place) as here, here.dial() as socket:
        key, host = SigningKey.generate(), f"127.0.0.1:{here.daemon.runner.port}"
        paired = await reply(socket, await asking(await here.code(), host, key))
        challenge = await reply(socket, json.dumps({"type": "authenticate", "device": paired["device"], "nonce": to_text(bytes(16))}))
        signature = key.sign(wire.device_signature(host, paired["device"], challenge["challenge"]))
        token = await reply(socket, json.dumps({"type": "answer", "signature": to_text(signature)}))
        assert (token["type"], token["name"], token["role"]) == ("token", "n", "controller")
        assert await end(socket) == (1000, "")


# ---- revoking --------------------------------------------------------------------------------------------------------


async def test_a_revoked_device_is_cut_at_once_and_neither_its_token_nor_its_key_opens_anything(
    own_settings: Settings, own_place: Place
) -> None:
    async with world(own_settings, own_place) as here:
        gone, stays = await here.paired(name="lost phone"), await here.paired(name="tablet")
        remote = await here.remote(gone)
        async with (
            library.connect(remote, name="page", kind="web") as page,
            library.connect(await here.remote(stays), name="page", kind="web") as other,
        ):
            await here.daemon.desk.revoke("lost phone")
            with pytest.raises(ConnectionLost) as lost, anyio.fail_after(5):
                await page.receive()
            assert (lost.value.code, lost.value.reason) == (1008, "revoked")
            with pytest.raises(BadCredential):
                async with library.connect(remote, name="page", kind="web"):
                    pass
            with pytest.raises(PairingRefused) as refused:
                await library.authenticate(here.url, gone)
            assert refused.value.code == "unknown_device"
            await other.send(Unsubscribe(session_id="s"))
            with pytest.raises(NoSuchDevice):
                await here.daemon.desk.revoke("lost phone")
            assert [client.credential for client in here.daemon.clients._open.values()] == ["tablet"]


async def test_who_is_revoked_between_the_gate_and_its_first_word_is_cut_too(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(own_settings, own_place) as here:
        remote = await here.remote(await here.paired())
        monkeypatch.setattr(type(here.daemon.desk), "admits", lambda *_: False)
        with pytest.raises(ConnectionLost) as lost:
            async with library.connect(remote, name="page", kind="web"):
                pass
        assert (lost.value.code, lost.value.reason) == (1008, "revoked")
        assert len(here.daemon.clients) == 0


# ---- who says something else -----------------------------------------------------------------------------------------

GOOD = {"nonce": to_text(bytes(16)), "publicKey": to_text(SigningKey.generate().public), "name": "n", "proof": to_text(bytes(32))}


@pytest.mark.parametrize(
    "frame",
    [
        "nonsense",
        b"binary",
        "[" * 2000,
        "{}",
        '{"type":"telepathy"}',
        '{"type":"answer","signature":""}',
        '{"type":"pair"}',
        json.dumps({"type": "pair", **GOOD, "nonce": "short"}),
        json.dumps({"type": "pair", **GOOD, "publicKey": to_text(bytes(65))}),
        json.dumps({"type": "pair", **GOOD, "proof": "="}),
        json.dumps({"type": "authenticate", "device": "../../etc", "nonce": GOOD["nonce"]}),
        json.dumps({"type": "authenticate", "device": "\ud800", "nonce": GOOD["nonce"]}),
        json.dumps({"type": "authenticate", "device": "0123456789abcdef", "nonce": "x"}),
    ],
)
async def test_what_is_no_message_is_told_so_counts_as_a_failure_and_ends_it(
    own_settings: Settings, own_place: Place, frame: str | bytes
) -> None:
    async with world(own_settings, own_place) as here:
        code = await here.code()
        here.daemon.server.rate = FailureRate(burst=2, per_second=0.0)
        async with here.dial() as socket:
            assert (await reply(socket, frame))["code"] == "malformed"
            assert await end(socket) == (1000, "")
        assert here.daemon.server.rate._left("127.0.0.1", 0) == 1.0
        await library.pair(here.url, code, "phone")


async def test_a_frame_of_the_largest_size_is_read_and_a_larger_one_closes(own_settings: Settings, own_place: Place) -> None:
    async with world(own_settings, own_place) as here:
        async with here.dial() as socket:
            assert (await reply(socket, "x" * wire.PAIR_FRAME_BYTES))["code"] == "malformed"
        async with here.dial() as socket:
            await socket.send("x" * (wire.PAIR_FRAME_BYTES + 1))
            assert (await end(socket))[0] == 1009


async def test_a_conversation_that_takes_too_long_is_closed(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mirrord.server.pairing.CONVERSATION_SECONDS", 0.05)
    async with world(own_settings, own_place) as here, here.dial() as socket:
        code, reason = await end(socket)
        assert code == 1008
        assert reason.startswith("not done within")


async def test_places_for_pairing_are_few_and_their_own(own_settings: Settings, own_place: Place) -> None:
    async with world(own_settings, own_place) as here:
        remote = await here.remote(await here.paired())
        while here.daemon.server.pairing:
            await anyio.lowlevel.checkpoint()
        here.daemon.server.pairing = PAIRING_PLACES
        with pytest.raises(InvalidStatus) as refused:
            async with here.dial():
                pass
        assert refused.value.response.status_code == 503
        async with library.connect(remote, name="page", kind="web"):
            pass
        here.daemon.server.pairing = 0


async def test_an_address_that_tries_too_often_is_slowed(own_settings: Settings, own_place: Place) -> None:
    async with world(own_settings, own_place) as here:
        here.daemon.server.rate = FailureRate(per_second=0.0)
        for _ in range(BURST):
            assert (await here.refused(WRONG)).code == "no_code"
        with pytest.raises(library.Refused) as slowed:
            await library.pair(here.url, WRONG, "phone")
        assert slowed.value.status == 429


async def test_a_foreign_page_cannot_even_begin(own_settings: Settings, own_place: Place) -> None:
    async with world(own_settings, own_place) as here:
        with pytest.raises(InvalidStatus) as refused:
            async with here.dial(origin="https://evil.test"):
                pass
        assert refused.value.response.status_code == 403
        async with here.dial(origin=here.url) as socket:
            assert socket.subprotocol == "mirrord.pair.v1"


async def test_no_secret_reaches_the_store_or_the_log(own_settings: Settings, own_place: Place, caplog: pytest.LogCaptureFixture) -> None:
    async with world(own_settings, own_place) as here:
        code = await here.code()
        identity = await library.pair(here.url, code, "phone")
        token = (await library.authenticate(here.url, identity)).token

        def everything() -> bytes:
            files = own_settings.paths.state_dir.rglob("*")
            return b"".join(file.read_bytes() for file in files if file.is_file())

        found = await anyio.to_thread.run_sync(everything)
    for secret in (code, shown(code), token, token.removeprefix("mrs_")):
        assert secret.encode() not in found
        assert secret not in caplog.text
    assert identity.key.secret not in found
    assert identity.device in caplog.text
