"""Promise: a person allows notifications once, closes the page, and is called by their browser's own notification, which leads back.

The daemon, the page, its worker and the browser are real, and what the worker is given is what a push service was sent, opened with the
browser's key. Stubbed are what a browser alone on a machine cannot have: the subscription, since no push service of the browser's maker is
there, and what a notification's press lends to a page, the right to open a window and to come to the front.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import CDPSession, Worker, expect

from bridge import messages as bridge
from mirrord.client import Local, PairingCode, connect
from mirrord.client.connection import Connection
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello
from tests.harness.pi import ROOT
from tests.places import private_settings, stand_in_for_pi
from tests.push.service import CERTIFICATE, Browser, PushService, push_service
from tests.web.browser import PATIENCE_MS, PHONE, Tab, tab
from tests.web.web import accept

LOOK_MS = 250
OWNER = "me"

SUBSCRIPTION = """
(({endpoint, p256dh, auth}) => {
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0)).buffer;
  let made = null;
  PushManager.prototype.getSubscription = async () => made;
  PushManager.prototype.subscribe = async (options) => {
    if (!options.userVisibleOnly) throw new Error("no browser takes that");
    const [keys, unsubscribe] = [{ p256dh: bytes(p256dh), auth: bytes(auth) }, async () => { made = null; return true; }];
    const applicationServerKey = new Uint8Array(options.applicationServerKey).buffer;
    made = { endpoint, options: { applicationServerKey }, getKey: (name) => keys[name], unsubscribe };
    return made;
  };
})(%s);
"""
"""A subscription whose keys are the test's."""

SHOWN = """async () => (await self.registration.getNotifications())
  .map(({ title, body, tag, silent, data }) => ({ title, body, tag, silent, prompt: data?.promptId ?? null }))"""

HIDE = """(hidden) => {
  Object.defineProperty(document, "visibilityState", { get: () => (hidden ? "hidden" : "visible"), configurable: true });
  Object.defineProperty(document, "hasFocus", { value: () => !hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""

PRESS = """async () => {
  self.opened = [];
  Object.defineProperty(self.clients, "openWindow", { configurable: true, value: async (address) => void self.opened.push(address) });
  WindowClient.prototype.focus = async function () { return this; };
  const [notification] = await self.registration.getNotifications();
  const waited = [];
  const press = new NotificationEvent("notificationclick", { notification });
  Object.defineProperty(press, "waitUntil", { value: (promise) => waited.push(promise) });
  self.dispatchEvent(press);
  await Promise.all(waited);
  return self.opened;
}"""


@dataclass
class Scene:
    """A daemon with a Pi, a phone's tab that is paired with it, and the push service that the daemon finds."""

    portal: BlockingPortal
    service: PushService
    pi: FakeExtension
    owner: Connection
    session: str
    tab: Tab
    origin: str
    browser: Browser = field(default_factory=Browser)
    _pushed: int = 0
    _cdp: CDPSession | None = None
    _registration: str = ""

    def says(self, message: bridge.FromExtension) -> None:
        self.portal.call(self.pi.say, message)

    def asks(self, id_: str, title: str = "Which bed?") -> None:
        prompt = bridge.Prompt(id=id_, method="select", title=title, opened_at=1_000, options=("north", "south"), option_count=2)
        self.says(bridge.PromptOpened(seq=0, prompt=prompt))

    def settles(self, id_: str) -> None:
        self.says(bridge.PromptSettled(seq=0, id=id_, outcome="answered", winner="terminal", at=2_000, answer=bridge.Answer(label="north")))

    def is_alone(self) -> bool:
        """Whether the daemon has noticed that no page is open."""
        status = self.portal.call(self.owner.request, "status", dict[str, Any])
        return [client["name"] for client in status["clients"]] == [OWNER]

    def follow_worker(self) -> None:
        """From a page of no origin, as the browser's own tools do."""
        cdp = self._cdp = self.tab.context.new_cdp_session(self.tab.context.new_page())
        cdp.on("ServiceWorker.workerRegistrationUpdated", self._registered)
        cdp.send("ServiceWorker.enable")
        self.looks_until(lambda: self._registration != "")

    def _registered(self, event: dict[str, Any]) -> None:
        for each in event["registrations"]:
            if each["scopeURL"] == f"{self.origin}/":
                self._registration = each["registrationId"]

    def deliver(self) -> dict[str, Any]:
        """The browser gets the next push that the service was sent; the message in it."""
        self._pushed += 1
        request = self.portal.call(self.service.received, self._pushed)[-1]
        text = self.browser.opened(request.body).decode()
        self.deliver_text(text)
        message: dict[str, Any] = json.loads(text)
        return message

    def deliver_text(self, text: str) -> None:
        assert self._cdp is not None
        asked = {"origin": self.origin, "registrationId": self._registration, "data": text}
        self._cdp.send("ServiceWorker.deliverPushMessage", asked)

    @property
    def worker(self) -> Worker:
        (worker,) = self.tab.context.service_workers
        return worker

    def shows(self, *bodies: str) -> list[dict[str, Any]]:
        """The notifications that stand, once they are these."""
        shown: list[dict[str, Any]] = []

        def look() -> bool:
            shown[:] = self.worker.evaluate(SHOWN)
            return [each["body"] for each in shown] == list(bodies)

        self.looks_until(look, lambda: f"{bodies} were expected, these stand: {shown}")
        return shown

    def looks_until(self, true: Callable[[], bool], why: Callable[[], str] = lambda: "it never was so") -> None:
        """Return once it is so; AssertionError with `why` when it never is."""
        for _ in range(PATIENCE_MS // LOOK_MS):
            if true():
                return
            self.tab.context.pages[-1].wait_for_timeout(LOOK_MS)
        raise AssertionError(why())


@contextmanager
def phone(browser: Chromium, directory: Path) -> Iterator[Scene]:
    stub = Browser()
    with (
        private_settings() as settings,
        stand_in_for_pi() as pid,
        start_blocking_portal("asyncio") as portal,
        portal.wrap_async_context_manager(push_service(directory)) as service,
        daemon(settings, service.port, directory / CERTIFICATE) as origin,
        portal.wrap_async_context_manager(fake_extension(settings.paths.bridge_socket, hello(pid))) as pi,
        portal.wrap_async_context_manager(connect(Local(settings.paths.control_socket), name=OWNER, kind="cli")) as owner,
        tab(browser, PHONE, offline_shell=True) as one,
    ):
        one.context.grant_permissions(["notifications"], origin=origin)
        one.context.add_init_script(SUBSCRIPTION % json.dumps(stub.arguments))
        one.page.goto(portal.call(owner.request, "pair_code", PairingCode).url)
        accept(one.page, "pocket")
        one.page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        session = owner.welcome.sessions[0].session_id
        yield Scene(portal, service, pi, owner, session, one, origin, stub)
        one.assert_clean()


@contextmanager
def daemon(settings: Settings, port: int, certificate: Path) -> Iterator[str]:
    """The address of a daemon that finds this push service."""
    directory = settings.paths.runtime_dir.parent.parent
    command = [sys.executable, "-m", "tests.push.daemon", str(directory), str(port), str(certificate)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def test_a_person_who_closed_the_page_is_called_and_led_back(browser: Chromium, tmp_path: Path) -> None:
    with phone(browser, tmp_path) as scene:
        page = scene.tab.page
        page.evaluate("() => { location.hash = 'settings'; }")
        page.get_by_role("switch", name="While this page is closed").click()
        expect(page.get_by_text("On, by Web Push")).to_be_visible()
        scene.follow_worker()

        # A page that can be seen has the toast, whatever is on it, and the device is not called.
        scene.asks("p0", "Which pot?")
        expect(page.get_by_role("log", name="Notifications")).to_contain_text("A question waits")

        # One that is hidden may sleep: the device is called, and the page is led to the prompt.
        page.evaluate(HIDE, True)
        scene.asks("q0")
        assert scene.deliver()["body"] == "2 questions wait"
        scene.shows("2 questions wait")
        assert scene.worker.evaluate(PRESS) == []
        page.evaluate(HIDE, False)
        expect(page.get_by_role("heading", name="Which pot?")).to_be_visible()
        scene.shows()
        for prompt in ("p0", "q0"):
            scene.settles(prompt)
        expect(page.get_by_text(re.compile("answered", re.IGNORECASE)).first).to_be_visible()
        page.close()
        scene.looks_until(scene.is_alone)

        scene.asks("p1")
        assert scene.deliver()["promptId"] == "p1"
        (waits,) = scene.shows("A question waits")
        assert waits == {"title": "garden", "body": "A question waits", "tag": scene.session, "silent": False, "prompt": "p1"}

        scene.settles("p1")
        scene.deliver()
        (over,) = scene.shows("Answered at the terminal")
        assert (over["tag"], over["silent"], over["prompt"]) == (scene.session, True, "p1")
        assert scene.worker.evaluate(PRESS) == [f"/#session={scene.session}&prompt=p1"]
        scene.shows()

        for text in ("", "{", '{"type":"attention"}', "null"):
            scene.deliver_text(text)
            (unread,) = scene.shows("Something wants your attention")
            assert unread["tag"] == "mirrord"
        assert scene.worker.evaluate(PRESS) == ["/"]
