"""Promise: a client that knows the extension UI contract's messages and no more can answer every blocking prompt.

`fixtures/wire/contract.jsonl` holds an exchange a line: what Pi's extension opens, what the client is shown, the frame it answers with,
what the extension hears, how it rules, and what dismisses the prompt. `id`, `value`, `confirmed` and `cancelled` are all that the
client writes; it has no `responseId`, sends no command, and leaves out of account whatever it does not know.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from bridge import messages as bridge
from mirrord.clock import SystemClock
from mirrord.daemon.daemon import Daemon
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import PROMPT_NATIVE, TEXT_FALLBACK
from mirrord.wire.roles import Role

Exchange = dict[str, Any]

EXCHANGES: list[Exchange] = [
    json.loads(line) for line in (Path(__file__).parents[1] / "fixtures" / "wire" / "contract.jsonl").read_text("utf-8").splitlines()
]
RESPONSE_FIELDS = {"type", "id", "value", "confirmed", "cancelled"}
PATIENCE = 10.0


class ContractClient:
    """Text frames over a WebSocket; it keeps the frames of two types and drops all others."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def say(self, frame: dict[str, Any]) -> None:
        await self._socket.send(json.dumps(frame))

    async def sees(self, kind: str) -> dict[str, Any]:
        """The next frame of this type."""
        with anyio.fail_after(PATIENCE):
            while True:
                frame: dict[str, Any] = json.loads(await self._socket.recv())
                if frame["type"] == kind:
                    return frame


@asynccontextmanager
async def contract_client(daemon: Daemon, name: str) -> AsyncIterator[ContractClient]:
    """A paired device that follows the only session."""
    token = (await daemon.place.store.mint(name, Role.CONTROLLER)).token
    async with connect(
        daemon.runner.url,
        subprotocols=[Subprotocol("mirrord.v1")],
        additional_headers={"Authorization": f"Bearer {token}"},
        compression=None,
    ) as socket:
        client = ContractClient(socket)
        capabilities = [TEXT_FALLBACK, PROMPT_NATIVE]
        await client.say(
            {"type": "hello", "client": {"name": name, "kind": "phone"}, "protocol": {"min": 1, "max": 1}, "capabilities": capabilities}
        )
        (session,) = (await client.sees("welcome"))["sessions"]
        await client.say({"type": "subscribe", "sessionId": session["sessionId"]})
        await client.sees("snapshot")
        yield client


def given(response: bridge.Response) -> dict[str, Any]:
    """What an answer that reached the extension says, without what is about it."""
    said: dict[str, Any] = json.loads(msgspec.json.encode(response))
    return {name: value for name, value in said.items() if name not in ("type", "seq", "responseId", "id", "by")}


def within(part: dict[str, Any], whole: dict[str, Any]) -> bool:
    return {name: whole.get(name) for name in part} == part


@pytest.mark.parametrize("exchange", EXCHANGES, ids=lambda exchange: exchange["name"])
def test_an_exchange_is_written_with_the_contracts_fields_alone(exchange: Exchange) -> None:
    assert set(exchange["response"]) <= RESPONSE_FIELDS
    shown = {
        "type",
        "id",
        "method",
        "title",
        "message",
        "options",
        "placeholder",
        "prefill",
        "questions",
        "allowCustom",
        "timeout",
        "timeoutAt",
    }
    assert set(exchange["request"]) <= shown


def test_every_blocking_method_is_answered_and_cancelled() -> None:
    seen = {(exchange["request"]["method"], exchange["settled"]["outcome"]) for exchange in EXCHANGES}
    assert seen == {(method, end) for method in ("select", "confirm", "input", "editor", "ask") for end in ("answered", "cancelled")}


async def test_a_client_of_the_contract_plays_every_exchange(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(own_settings.paths.bridge_socket, hello(pi_pid)) as extension,
        contract_client(daemon, "phone") as phone,
        contract_client(daemon, "tablet") as tablet,
    ):
        for exchange in EXCHANGES:
            await extension.say(bridge.PromptOpened(seq=0, prompt=msgspec.convert(exchange["opened"], bridge.Prompt)))
            for client in (phone, tablet):
                assert within(exchange["request"], await client.sees("extension_ui_request")), exchange["name"]

            await phone.say(exchange["response"])
            response = await extension.until(bridge.Response)
            assert response.id == exchange["opened"]["id"]
            assert given(response) == exchange["heard"], exchange["name"]

            await extension.say(settled(exchange, response))
            for client in (phone, tablet):
                told = await client.sees("extension_ui_settled")
                assert within(exchange["told"], told), exchange["name"]
                assert ("answer" in told) is ("answer" in exchange["told"]), exchange["name"]


async def test_what_a_client_of_the_contract_sends_too_late_or_wrongly_changes_nothing(
    own_settings: Settings, own_place: Place, pi_pid: int
) -> None:
    select = next(exchange for exchange in EXCHANGES if exchange["name"] == "select")
    wrong: list[dict[str, Any]] = [{"value": "mango"}, {"confirmed": True}, {}, {"value": "apple", "cancelled": True}]
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(own_settings.paths.bridge_socket, hello(pi_pid)) as extension,
        contract_client(daemon, "phone") as phone,
    ):
        await extension.say(bridge.PromptOpened(seq=0, prompt=msgspec.convert(select["opened"], bridge.Prompt)))
        await phone.sees("extension_ui_request")
        for fields in wrong:
            await phone.say({"type": "extension_ui_response", "id": select["opened"]["id"], **fields})
            assert (await phone.sees("response_result"))["reason"] == "invalid"
        await phone.say(select["response"])
        response = await extension.until(bridge.Response)
        assert given(response) == select["heard"], "the first answer that fits is the first that reaches the extension"
        await extension.say(settled(select, response))
        await phone.sees("extension_ui_settled")
        await phone.say(select["response"])
        assert [(await phone.sees("response_result"))["accepted"] for _ in range(2)] == [True, False]


def settled(exchange: Exchange, response: bridge.Response) -> bridge.PromptSettled:
    """The extension's ruling for this answer."""
    ruling: dict[str, Any] = {
        "type": "prompt_settled",
        "seq": 0,
        "id": response.id,
        "at": 1_796_054_405_000,
        "responseId": response.response_id,
    }
    ruling.update(exchange["settled"])
    return msgspec.convert(ruling, bridge.PromptSettled)


def test_the_frames_are_ones_the_daemon_knows() -> None:
    for exchange in EXCHANGES:
        assert isinstance(msgspec.convert(exchange["response"], wire.ClientMessage), wire.ExtensionUIResponse)
