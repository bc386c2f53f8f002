"""Promise: of each session the newest message arrives, once; a service that cannot is asked again within bounds, one that is gone never."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from mirrord.core.commands import Push
from mirrord.push.endpoints import Endpoint
from mirrord.push.https import Answer, NotPublic, Unreachable
from mirrord.push.sender import FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS, TRIES, TTL_SECONDS, WAITING, Pusher
from mirrord.store import Store, open_store
from mirrord.store.notify import Subscription
from mirrord.testing import FakeClock
from mirrord.wire.attention import Attention, AttentionKind
from mirrord.wire.roles import Role
from tests.push.service import Browser, Request, point


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path, FakeClock())
    yield opened
    opened.close()


@dataclass
class Wire:
    """A transport that answers with what is due, else 201. While `held` is set a request waits for it."""

    due: deque[Answer | Exception] = field(default_factory=deque)
    sent: list[Request] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    held: anyio.Event | None = None
    at_once: int = 0
    most_at_once: int = 0
    on_its_way: anyio.Event = field(default_factory=anyio.Event)

    async def post(self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes) -> Answer:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.sent.append(Request("POST", endpoint.target, {name.lower(): value for name, value in headers.items()}, body))
        self.on_its_way.set()
        if self.held is not None:
            await self.held.wait()
        self.at_once -= 1
        answer = self.due.popleft() if self.due else Answer(201)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@dataclass
class Scene:
    pusher: Pusher
    wire: Wire
    browser: Browser
    device: str
    changed: list[str]

    def push(self, session: str = "1-1", kind: AttentionKind = "waiting", body: str = "A question waits") -> None:
        self.pusher.push(Push(self.device, Attention(session_id=session, kind=kind, title="garden", body=body, at=1)))

    async def quiet(self) -> None:
        """Return when nothing waits."""
        with anyio.fail_after(10):
            while self.pusher._queues:  # noqa: ASYNC110 - the product tells nobody that nothing waits
                await anyio.sleep(0.005)

    def told(self) -> list[tuple[str, str]]:
        messages = [request.message(self.browser) for request in self.wire.sent]
        return [(message["sessionId"], message["body"]) for message in messages]


@asynccontextmanager
async def scene(store: Store) -> AsyncIterator[Scene]:
    """A device with a subscription; whatever waits at the end is given up."""
    browser, wire, changed = Browser(), Wire(), list[str]()
    device = (await store.pair("phone", Role.CONTROLLER, b"\x04" + bytes(64))).id
    await store.notify.subscribe(device, Subscription(browser.endpoint, point(browser.key.public_key()), browser.auth))
    async with anyio.create_task_group() as tasks:
        yield Scene(Pusher(store.notify, FakeClock(), wire, tasks, changed.append, wire.sleep), wire, browser, device, changed)
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize(("kind", "urgency"), [("waiting", "high"), ("failed", "high"), ("yourTurn", "normal"), ("over", "normal")])
async def test_a_push_is_what_the_rfcs_want(store: Store, kind: AttentionKind, urgency: str) -> None:
    async with scene(store) as play:
        play.push(kind=kind)
        await play.quiet()
        (request,) = play.wire.sent
        headers = request.headers
        assert (headers["content-encoding"], headers["ttl"], headers["urgency"]) == ("aes128gcm", str(TTL_SECONDS), urgency)
        assert len(headers["topic"]) == 32
        assert request.claims()["aud"] == "https://push.example"
        assert request.message(play.browser)["kind"] == kind


async def test_one_session_is_one_topic_and_two_are_two(store: Store) -> None:
    async with scene(store) as play:
        for session in ("1-1", "2-2", "1-1"):
            play.push(session)
            await play.quiet()
        first, second, third = (request.headers["topic"] for request in play.wire.sent)
        assert first == third != second


async def test_what_waits_is_replaced_by_the_newest_of_its_session_and_only_one_is_on_its_way(store: Store) -> None:
    async with scene(store) as play:
        play.wire.held = anyio.Event()
        play.push(body="0")
        await play.wire.on_its_way.wait()
        for number in range(1, 6):
            play.push(body=str(number))
        play.push("2-2", body="other")
        play.wire.held.set()
        await play.quiet()
        assert play.told() == [("1-1", "0"), ("1-1", "5"), ("2-2", "other")]
        assert play.wire.most_at_once == 1


@pytest.mark.parametrize("answer", [Answer(429), Answer(408), Answer(500), Answer(503), Unreachable("no answer")], ids=repr)
async def test_a_service_that_cannot_now_is_asked_again(store: Store, answer: Answer | Exception) -> None:
    async with scene(store) as play:
        play.wire.due.extend([answer, answer])
        play.push()
        await play.quiet()
        assert play.told() == [("1-1", "A question waits")] * 3
        assert play.wire.slept == [FIRST_RETRY_SECONDS, 2 * FIRST_RETRY_SECONDS]
        assert play.changed == []


@pytest.mark.parametrize(("asked", "slept"), [(0.0, FIRST_RETRY_SECONDS), (60.0, 60.0), (1e9, LONGEST_RETRY_SECONDS)])
async def test_when_to_come_again_is_the_services_to_say_within_bounds(store: Store, asked: float, slept: float) -> None:
    async with scene(store) as play:
        play.wire.due.append(Answer(429, asked))
        play.push()
        await play.quiet()
        assert play.wire.slept == [slept]


async def test_a_service_that_never_answers_is_given_up_and_the_next_message_begins_anew(store: Store) -> None:
    async with scene(store) as play:
        play.wire.due.extend([Answer(503)] * TRIES)
        play.push()
        play.push("2-2")
        await play.quiet()
        assert len(play.wire.sent) == TRIES
        assert sum(play.wire.slept) < 1200
        assert max(play.wire.slept) <= LONGEST_RETRY_SECONDS
        play.push(body="new")
        await play.quiet()
        assert play.told()[TRIES:] == [("1-1", "new")]


async def test_what_came_while_it_slept_takes_the_place_of_what_failed(store: Store) -> None:
    async with scene(store) as play:

        async def sleep(_: float) -> None:
            play.push(kind="over", body="Answered")

        play.pusher.sleep = sleep
        play.wire.due.append(Answer(503))
        play.push()
        await play.quiet()
        assert [body for _, body in play.told()] == ["A question waits", "Answered"]


@pytest.mark.parametrize("answer", [Answer(404), Answer(410), NotPublic()], ids=repr)
async def test_a_subscription_that_is_gone_is_removed_and_nothing_is_sent_there_again(store: Store, answer: Answer | Exception) -> None:
    async with scene(store) as play:
        play.wire.due.append(answer)
        play.push()
        play.push("2-2")
        await play.quiet()
        assert len(play.wire.sent) == 1
        assert store.notify.subscription(play.device) is None
        assert play.changed == [play.device]
        play.push()
        await play.quiet()
        assert len(play.wire.sent) == 1


@pytest.mark.parametrize("keys", [(b"\x04" + bytes(64), bytes(16)), (b"", bytes(16)), (b"\x04", b"")], ids=repr)
async def test_a_subscription_whose_keys_were_damaged_on_disk_is_removed(store: Store, keys: tuple[bytes, bytes]) -> None:
    async with scene(store) as play:
        await store.notify.subscribe(play.device, Subscription(play.browser.endpoint, *keys))
        play.push()
        await play.quiet()
        assert (play.wire.sent, play.changed) == ([], [play.device])


async def test_a_subscription_that_was_made_anew_meanwhile_is_not_removed(store: Store) -> None:
    async with scene(store) as play:
        play.wire.held = anyio.Event()
        play.wire.due.append(Answer(410))
        play.push()
        await play.wire.on_its_way.wait()
        newer = Browser("/send/newer")
        await store.notify.subscribe(play.device, Subscription(newer.endpoint, point(newer.key.public_key()), newer.auth))
        play.wire.held.set()
        await play.quiet()
        assert [request.path for request in play.wire.sent] == ["/send/secret-capability", "/send/newer"]
        assert play.wire.sent[-1].message(newer)["kind"] == "waiting"
        assert play.changed == []


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 413])
async def test_a_refusal_costs_this_message_alone(store: Store, status: int) -> None:
    async with scene(store) as play:
        play.wire.due.append(Answer(status))
        play.push()
        await play.quiet()
        play.push(body="next")
        await play.quiet()
        assert [body for _, body in play.told()] == ["A question waits", "next"]
        assert store.notify.subscription(play.device) is not None


async def test_no_more_waits_than_a_bound(store: Store) -> None:
    async with scene(store) as play:
        play.wire.held = anyio.Event()
        for number in range(WAITING + 10):
            play.push(f"{number}-1")
        assert list(play.pusher._queues[play.device].waiting) == [f"{number}-1" for number in range(10, WAITING + 10)]


async def test_neither_the_address_nor_what_is_told_is_in_the_log(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with scene(store) as play:
        play.wire.due.extend([Answer(503), Answer(403), Unreachable("no answer"), Answer(410)])
        for _ in range(3):
            play.push(body="canary-body")
            await play.quiet()
    said = caplog.text
    assert caplog.text.count("push:") == 4
    assert "push.example" in said
    assert "secret-capability" not in said
    assert "canary-body" not in said
