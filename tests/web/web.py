"""A stage with the real Pi and the real daemon, and browsers that are paired with it as a person pairs them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

import msgspec
from playwright.sync_api import Page, expect

from mirrord.client import PairingCode
from mirrord.demo.pi_home import PiHome
from mirrord.wire import messages as wire
from tests.e2e.play import Asked, Play
from tests.e2e.scenes import opened
from tests.e2e.stage import Stage, until
from tests.harness.pi import ROOT, environment
from tests.web.browser import Tab
from tests.web.card import Card

CLI_ENDS: Final = 20.0


@dataclass(slots=True)
class Web:
    """What stands: Pi, the daemon, devices without a page (`play`), and tabs by the name under which each is paired."""

    play: Play
    tabs: dict[str, Tab] = field(default_factory=dict)
    origin: str = field(init=False)
    """Where the pages come from; the port stays when another daemon takes over."""

    def __post_init__(self) -> None:
        status = self.stage.daemon.status()
        assert status is not None
        self.origin = re.sub(r"^ws(://[^/]*)/.*", r"http\1", status.url)

    @property
    def stage(self) -> Stage:
        return self.play.stage

    def code(self, *arguments: str) -> PairingCode:
        """What `mirrord pair` prints."""
        printed = mirrord(self.stage.home, "pair", "--no-wait", "--json", *arguments)
        return msgspec.json.decode(printed, type=PairingCode)

    def pair(self, tab: Tab, name: str, *arguments: str) -> None:
        """Opens the printed address in that tab, takes this name, and is on the list of sessions."""
        tab.page.goto(self.code(*arguments).url)
        accept(tab.page, name)
        self.tabs[name] = tab

    def enter(self, name: str) -> Page:
        """The page of that name, on the session."""
        page = self.tabs[name].page
        page.evaluate("(id) => { location.hash = `session=${encodeURIComponent(id)}`; }", self.stage.wait_session())
        expect(page.get_by_role("heading", level=1, name="Sessions")).to_have_count(0 if self.tabs[name].size.is_phone else 1)
        return page

    def ask(self, method: wire.Method, **more: object) -> Asked:
        """A dialog of this method is open in the terminal, and offered to every device."""
        return opened(self.play, method, **more)

    def card(self, name: str, asked: Asked) -> Card:
        """Its card in the tab of that name."""
        return Card(self.tabs[name].page, asked.prompt.title).shown()

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Pi's process is stopped for the length of the block: it takes no key and no answer."""
        self.stage.pi_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.stage.pi_signal(signal.SIGCONT)

    def begin(self) -> None:
        """No dialog is open and no card is left of an earlier test; who was gone is back."""
        self.play.begin()
        until(lambda: not self.play.session.open_prompts, 10, "something of an earlier test is open")
        for tab in self.tabs.values():
            if tab.page.locator("[data-method]").count():
                # What was typed in vain stays until it is dismissed, also over a reload.
                tab.page.evaluate("sessionStorage.clear()")
                tab.page.reload()
                expect(tab.page.locator("[data-method]")).to_have_count(0)


def accept(page: Page, name: str) -> None:
    """Pairs with the code that the page was opened with."""
    page.get_by_label("Name of this browser").fill(name)
    page.get_by_role("button", name="Pair this browser").click()
    expect(page.get_by_role("heading", level=1, name="Sessions")).to_be_visible()


def mirrord(home: PiHome, *arguments: str) -> str:
    """What the command line prints in that home; it ends well."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "mirrord", *arguments],
        env={**environment(home), "PYTHONPATH": str(ROOT)},
        cwd=home.work,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=CLI_ENDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def standing(here: Stage) -> Iterator[Web]:
    """On a stage that stands."""
    yield Web(Play(here))


@contextmanager
def no_daemon(web: Web, how: signal.Signals = signal.SIGTERM) -> Iterator[None]:
    """It ends, and after the block another one serves at the same address."""
    port = urlsplit(web.origin).port
    assert port is not None
    web.stage.daemon.end(how)
    try:
        yield
    finally:
        web.stage.daemon.start(port=port)
        web.stage.wait_session()
        web.play.connect()


@contextmanager
def frozen(tab: Tab) -> Iterator[None]:
    """The browser runs nothing of the page, as phones do with one that is not looked at."""
    session = tab.context.new_cdp_session(tab.page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    try:
        yield
    finally:
        session.send("Page.setWebLifecycleState", {"state": "active"})
        session.detach()
