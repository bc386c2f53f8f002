"""Promise: a device subscribes and chooses over its connection, and the running daemon tells it by push what it may not miss."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from bridge import messages as bridge
from mirrord.client import Local, Remote, connect
from mirrord.client.connection import Connection
from mirrord.client.errors import CommandRefused
from mirrord.clock import SystemClock
from mirrord.core.model import PromptId
from mirrord.crypto import to_text
from mirrord.daemon.daemon import Daemon
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.attention import NotifySettings, PushInfo
from mirrord.wire.roles import Role
from tests.push.service import Browser, PushService, push_service

PROMPT = bridge.Prompt(id="p1", method="confirm", title="Delete the secret?", opened_at=1_000, message="notes.txt")


@dataclass
class Scene:
    """A daemon, a push service that it finds, a phone's token, and a Pi."""

    daemon: Daemon
    service: PushService
    settings: Settings
    token: str
    pi: FakeExtension
    session: str
    browser: Browser = field(default_factory=Browser)

    @asynccontextmanager
    async def phone(self) -> AsyncIterator[Connection]:
        async with connect(Remote(self.daemon.runner.url, self.token), name="phone", kind="phone") as phone:
            yield phone

    async def subscribed(self) -> None:
        """The phone was here, subscribed, and closed its page."""
        async with self.phone() as phone:
            await phone.request("push_subscribe", type(None), self.browser.arguments)

    async def pushed(self, count: int) -> list[tuple[str, str]]:
        messages = [request.message(self.browser) for request in await self.service.received(count)]
        assert {message["sessionId"] for message in messages} == {self.session}
        return [(message["kind"], message["body"]) for message in messages]


@pytest.fixture
async def scene(own_settings: Settings, own_place: Place, tmp_path: Path, pi_pid: int) -> AsyncIterator[Scene]:
    with anyio.fail_after(30):
        async with (
            push_service(tmp_path) as service,
            running_daemon(own_place, own_settings, SystemClock(), service.https()) as daemon,
            fake_extension(own_settings.paths.bridge_socket, hello(pi_pid)) as pi,
        ):
            token = (await own_place.store.mint("phone", Role.OBSERVER)).token
            yield Scene(daemon, service, own_settings, token, pi, daemon.core.sessions()[0].session_id)


async def test_a_prompt_and_its_end_are_pushed_to_a_device_that_is_not_here(scene: Scene) -> None:
    await scene.subscribed()
    await scene.pi.say(bridge.PromptOpened(seq=0, prompt=PROMPT))
    assert await scene.pushed(1) == [("waiting", "A question waits")]
    await scene.pi.say(bridge.PromptSettled(seq=0, id="p1", outcome="answered", winner="terminal", at=2_000))
    assert (await scene.pushed(2))[1] == ("over", "Answered at the terminal")
    first, second = scene.service.requests
    assert first.headers["topic"] == second.headers["topic"]
    assert first.path == "/send/secret-capability"


async def test_a_device_is_told_by_its_page_and_by_push_and_not_where_it_looks(scene: Scene) -> None:
    await scene.subscribed()
    async with scene.phone() as phone, scene.phone() as tablet:
        await phone.send(wire.Looking(session_id=scene.session))
        await tablet.send(wire.Looking(session_id=None))
        await phone.request("notify_settings", NotifySettings)
        await tablet.request("notify_settings", NotifySettings)
        await scene.pi.say(bridge.PromptOpened(seq=0, prompt=PROMPT))
        await phone.until(wire.SessionChanged, lambda message: message.session.status.state == "waiting")
        await phone.send(wire.Looking(session_id=None))
        await scene.pi.say(bridge.PromptOpened(seq=0, prompt=bridge.Prompt(id="p2", method="confirm", title="And?", opened_at=2)))
        told = await tablet.until(wire.Attention)
        assert (told.kind, told.body, told.prompt_id) == ("waiting", "2 questions wait", PromptId("p1"))
        assert await scene.pushed(1) == [("waiting", "2 questions wait")]


async def test_the_key_that_is_told_is_the_one_that_pushes_are_signed_with(scene: Scene) -> None:
    async with scene.phone() as phone:
        info = await phone.request("push_info", PushInfo)
    assert info == PushInfo(available=True, public_key=to_text(scene.daemon.place.store.notify.key.public))
    await scene.subscribed()
    await scene.pi.say(bridge.PromptOpened(seq=0, prompt=PROMPT))
    (request,) = await scene.service.received(1)
    assert request.claims()["k"] == info.public_key


async def test_switches_are_set_told_and_kept(scene: Scene) -> None:
    async with scene.phone() as phone:
        await phone.request("notify_set", NotifySettings, {"kind": "waiting", "on": False})
        asked = {"kind": "failed", "on": False, "sessionId": scene.session}
        set_ = await phone.request("notify_set", dict[str, Any], asked)
        assert set_ == {
            "device": {"waiting": False, "yourTurn": True, "failed": True, "titles": False},
            "sessions": {scene.session: {"failed": False}},
        }
        assert await phone.request("notify_settings", dict[str, Any]) == set_


async def test_who_wants_no_questions_is_pushed_none_until_they_do(scene: Scene) -> None:
    await scene.subscribed()
    async with scene.phone() as phone:
        await phone.request("notify_set", NotifySettings, {"kind": "waiting", "on": False})
        await scene.pi.say(bridge.PromptOpened(seq=0, prompt=PROMPT))
        await phone.until(wire.SessionChanged, lambda message: message.session.status.state == "waiting")
        await phone.request("notify_set", NotifySettings, {"kind": "titles", "on": True})
        assert scene.service.requests == []
        await phone.request("notify_set", NotifySettings, {"kind": "waiting", "on": None})
    assert await scene.pushed(1) == [("waiting", "Delete the secret?")]


async def test_a_device_that_unsubscribed_and_one_that_was_revoked_are_pushed_nothing(scene: Scene) -> None:
    await scene.subscribed()
    async with scene.phone() as phone:
        await phone.request("push_unsubscribe", type(None))
    await scene.pi.say(
        bridge.PromptOpened(seq=0, prompt=PROMPT), bridge.PromptSettled(seq=0, id="p1", outcome="answered", winner="terminal", at=2)
    )
    await scene.pi.settled()
    await scene.subscribed()
    phone_id = scene.daemon.place.store.named("phone").id
    assert phone_id in scene.daemon.core._attention._devices
    await scene.daemon.desk.revoke("phone")
    assert scene.daemon.place.store.notify.devices == frozenset()
    scene.daemon.notifications.desk.changed(phone_id)  # its command was under way
    assert phone_id not in scene.daemon.core._attention._devices
    await scene.pi.say(bridge.PromptOpened(seq=0, prompt=bridge.Prompt(id="p2", method="confirm", title="And?", opened_at=2)))
    await scene.pi.settled()
    assert scene.service.connections == 0


@pytest.mark.parametrize(
    ("name", "args", "code"),
    [
        ("push_subscribe", {}, "malformed"),
        ("push_subscribe", Browser().arguments | {"endpoint": "http://127.0.0.1/x"}, "bad_endpoint"),
        ("push_subscribe", Browser().arguments | {"p256dh": "BTBZMqHH6r4Tts7J_aSIgg"}, "malformed"),
        ("push_subscribe", Browser().arguments | {"auth": ""}, "malformed"),
        ("push_subscribe", Browser().arguments | {"more": 1}, "malformed"),
        ("push_info", {"x": 1}, "malformed"),
        ("push_unsubscribe", {"x": 1}, "malformed"),
        ("notify_settings", {"x": 1}, "malformed"),
        ("notify_set", {"kind": "all", "on": True}, "malformed"),
        ("notify_set", {"kind": "waiting", "on": 1}, "malformed"),
        ("notify_set", {"kind": "titles", "on": True, "sessionId": "1-1"}, "malformed"),
        ("notify_set", {"kind": "waiting", "on": True, "sessionId": "x" * 65}, "malformed"),
    ],
)
async def test_arguments_that_are_wrong_are_refused_in_one_sentence(scene: Scene, name: str, args: dict[str, Any], code: str) -> None:
    async with scene.phone() as phone:
        with pytest.raises(CommandRefused) as refused:
            await phone.request(name, type(None), args)
        assert (refused.value.code, str(refused.value).count(". ")) == (code, 0)


async def test_the_control_socket_is_no_device(scene: Scene) -> None:
    async with connect(Local(scene.settings.paths.control_socket), name="me", kind="cli") as owner:
        assert (await owner.request("push_info", PushInfo)).available
        for name in ("push_subscribe", "push_unsubscribe", "notify_settings", "notify_set"):
            with pytest.raises(CommandRefused) as refused:
                await owner.request(name, type(None))
            assert refused.value.code == "no_device"


async def test_without_the_package_the_sentence_says_how_to_get_it(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirrord.push.vapid._PACKAGES", ("no_such_package_of_ours",))
    async with scene.phone() as phone:
        info = await phone.request("push_info", PushInfo)
        assert (info.available, info.public_key) == (False, None)
        assert "pywebpush" in (info.reason or "")
        with pytest.raises(CommandRefused) as refused:
            await phone.request("push_subscribe", type(None), scene.browser.arguments)
        assert refused.value.code == "push_unavailable"
