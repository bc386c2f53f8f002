"""Promise: one request goes to the very address that was judged, is never led elsewhere, and costs a bounded time and memory."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from mirrord.push.endpoints import Endpoint
from mirrord.push.https import ANSWER_BYTES, Answer, Https, NotPublic, PublicDial, Unreachable, addresses_of
from tests.push.service import HOST, push_service

WHERE = Endpoint(HOST, "/send/secret")


async def test_a_request_arrives_as_it_was_given(tmp_path: Path) -> None:
    async with push_service(tmp_path) as service:
        answer = await service.https().post(WHERE, {"TTL": "60"}, b"\x00body")
        assert answer == Answer(201)
        (request,) = service.requests
        assert (request.method, request.path, request.body) == ("POST", "/send/secret", b"\x00body")
        assert request.headers == {"host": HOST, "content-length": "5", "connection": "close", "ttl": "60"}
        assert service.looked_up == [HOST]


async def test_a_redirect_is_an_answer_and_is_not_followed(tmp_path: Path) -> None:
    async with push_service(tmp_path) as service:
        service.answers(f"307 Temporary Redirect\r\nLocation: https://{HOST}/other")
        assert (await service.https().post(WHERE, {}, b"")).status == 307
        assert (service.connections, len(service.requests)) == (1, 1)


@pytest.mark.parametrize(("header", "seconds"), [("120", 120.0), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("-1", None), ("9" * 40, None)])
async def test_when_to_come_again_is_read_where_it_is_a_number(tmp_path: Path, header: str, seconds: float | None) -> None:
    async with push_service(tmp_path) as service:
        service.answers(f"429 Too Many Requests\r\nRetry-After: {header}")
        assert await service.https().post(WHERE, {}, b"") == Answer(429, seconds)


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"no http at all\r\n\r\n", "the answer is no HTTP"),
        (b"HTTP/1.1 201 Created\r\n" + b"X: y\r\n" * ANSWER_BYTES, "the answer has no end"),
        (
            b"HTTP/1.1 201 Created\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(200)) + b"\r\n",
            "the answer is no HTTP",
        ),
        (b"HTTP/1.1 201 Created\r\nX: ", "no answer within 0 s"),
    ],
)
async def test_an_answer_that_is_none_is_none(tmp_path: Path, sent: bytes, why: str) -> None:
    async with push_service(tmp_path) as service:
        service.due.append(sent)
        with pytest.raises(Unreachable, match=why):
            await service.https(seconds=0.4).post(WHERE, {}, b"")


async def test_a_certificate_for_another_name_is_not_believed(tmp_path: Path) -> None:
    async with push_service(tmp_path, host="other.example") as service:
        with pytest.raises(Unreachable, match="SSL"):
            await service.https().post(WHERE, {}, b"")
        assert service.requests == []


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::ffff:127.0.0.1"], ["fe80::1%lo"]])
async def test_a_name_that_stands_for_something_private_is_not_connected_to(tmp_path: Path, addresses: list[str]) -> None:
    async with push_service(tmp_path) as service:

        async def resolve(_: str) -> list[str]:
            return addresses

        with pytest.raises(NotPublic):
            await Https(PublicDial(resolve, port=service.port, context=service.context)).post(WHERE, {}, b"")
        assert service.connections == 0


async def test_a_name_that_changes_its_meaning_is_looked_up_once_and_that_is_connected_to(tmp_path: Path) -> None:
    async with push_service(tmp_path) as service:
        meanings = [["127.0.0.1"], ["10.0.0.1"]]
        judged = []

        async def resolve(_: str) -> list[str]:
            return meanings.pop(0)

        def judge(address: str) -> bool:
            judged.append(address)
            return True

        await Https(PublicDial(resolve, judge, service.port, service.context)).post(WHERE, {}, b"")
        assert judged == ["127.0.0.1"]
        assert len(service.requests) == 1


async def test_another_address_of_the_name_is_tried_where_one_is_dead(tmp_path: Path) -> None:
    async with push_service(tmp_path) as service:

        async def resolve(_: str) -> list[str]:
            return ["127.0.0.2", "127.0.0.1"]

        dial = PublicDial(resolve, lambda _: True, service.port, service.context)
        assert (await Https(dial).post(WHERE, {}, b"")).status == 201


async def test_nobody_there_is_an_answer_too() -> None:
    async def resolve(_: str) -> list[str]:
        return ["127.0.0.1"]

    with pytest.raises(Unreachable):
        await Https(PublicDial(resolve, lambda _: True, port=9)).post(WHERE, {}, b"")


async def test_a_name_is_looked_up_in_numbers_and_an_unknown_one_is_unreachable() -> None:
    assert set(await addresses_of("localhost")) <= {"127.0.0.1", "::1"}
    with pytest.raises(Unreachable):
        await addresses_of("no-such-host.invalid")


async def test_a_resolver_that_hangs_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr("mirrord.push.https.socket.getaddrinfo", lambda *_, **__: release.wait(30) and [])
    begun = time.monotonic()
    with pytest.raises(Unreachable, match="no answer"):
        await Https(PublicDial(), seconds=0.2).post(WHERE, {}, b"")
    assert time.monotonic() - begun < 5
    release.set()
