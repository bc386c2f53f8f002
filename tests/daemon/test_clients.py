"""Promise: a message for many is encoded once, a client that is gone gets nothing, and everybody who waits for the last one is woken."""

from __future__ import annotations

from typing import cast

import anyio
import pytest

from mirrord.core import events
from mirrord.core.commands import CloseClient, Send
from mirrord.core.model import ClientId
from mirrord.daemon import clients
from mirrord.daemon.clients import Clients
from mirrord.server.arrival import Arrival
from mirrord.server.client import ClientConnection
from mirrord.server.gate import Admitted
from mirrord.testing import FakeClock
from mirrord.wire import messages as wire
from mirrord.wire.roles import Role


class NoSocket:
    """Stands where a socket is, and is never used: these clients are not driven."""


@pytest.fixture
def happened() -> list[events.Event]:
    return []


@pytest.fixture
async def many(happened: list[events.Event]) -> Clients:
    made = Clients(FakeClock(), happened.append, lambda _: None)
    for number in (1, 2, 3):
        made.connected(served(number))
    return made


def served(number: int) -> ClientConnection:
    """A client that passed the gate."""
    admitted = Admitted(Role.OBSERVER, f"device {number}")
    return ClientConnection(ClientId(number), cast(Arrival, NoSocket()), admitted, None, None)


async def test_what_happens_to_a_client_becomes_an_event_with_its_credential(many: Clients, happened: list[events.Event]) -> None:
    first = happened[0]
    assert isinstance(first, events.ClientConnected)
    assert (first.client, first.role, first.credential, first.notice) == (1, Role.OBSERVER, "device 1", None)
    client = many._open[ClientId(1)]
    many.said(client, wire.Unsubscribe(session_id="s"))
    many.gone(client)
    assert [type(event).__name__ for event in happened[3:]] == ["ClientSaid", "ClientGone"]
    assert len(many) == 2


async def test_one_message_for_many_clients_is_encoded_once(many: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[wire.ServerMessage] = []

    def encode(message: wire.ServerMessage) -> bytes:
        encoded.append(message)
        return b"{}"

    monkeypatch.setattr(clients, "encode", encode)
    first, second = wire.Gap(session_id="s", since="x"), wire.Gap(session_id="s", since="x")
    for message in (first, second):
        for number in (1, 2, 3, 4):
            many.send(Send(ClientId(number), message))
    assert len(encoded) == 2
    assert [len(client.outbox) for client in many._open.values()] == [2, 2, 2]


async def test_commands_for_a_client_that_is_gone_do_nothing(many: Clients) -> None:
    many.send(Send(ClientId(9), wire.Gap(session_id="s", since="x")))
    many.close(CloseClient(ClientId(9), 1000, ""))


async def test_dropped_notifications_are_counted_also_of_clients_that_are_gone(many: Clients) -> None:
    big = b"x" * 5_000_000
    for client in tuple(many._open.values()):
        client.put(big, "may")
    many.gone(many._open[ClientId(1)])
    assert many.notifications_dropped == 3
    assert many.dropped == 1


async def test_everybody_who_waits_for_the_last_client_is_woken(many: Clients) -> None:
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for but in (0, 0, 1, 2):
                tasks.start_soon(many.wait_until_gone, but)
            await anyio.wait_all_tasks_blocked()
            for client in tuple(many._open.values()):
                many.gone(client)
                await anyio.wait_all_tasks_blocked()
