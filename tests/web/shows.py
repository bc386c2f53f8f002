"""Tabs in which states are shown: the page is the real daemon's, and what it shows is scripted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from anyio.from_thread import start_blocking_portal
from playwright.sync_api import Browser, Page

from mirrord.client import PairingCode
from mirrord.demo.pi_home import PiHome, temporary_pi_home
from tests.e2e.stage import Daemon
from tests.harness.pi import environment
from tests.web.browser import PATIENCE_MS, Scheme, Size, Tab, tab
from tests.web.states import Show, State
from tests.web.web import accept

NO_MODEL = "http://127.0.0.1:9"
"""No Pi runs here that could ask for one."""


@dataclass(frozen=True, slots=True)
class Pages:
    """The daemon that serves the page."""

    home: PiHome
    daemon: Daemon
    origin: str

    @contextmanager
    def shows(self, browser: Browser, size: Size, scheme: Scheme = "light", scale: float = 1) -> Iterator[Shows]:
        """Tabs of that size."""
        with tab(browser, size, scheme=scheme, scale=scale) as stranger, tab(browser, size, scheme=scheme, scale=scale) as friend:
            friend.page.goto(self.daemon.ask("pair_code", PairingCode, role="controller").url)
            accept(friend.page, f"{size} {scheme}")
            yield Shows(self, stranger, friend)


@dataclass(slots=True)
class Shows:
    """A tab that is not paired, and one that is."""

    pages: Pages
    stranger: Tab
    friend: Tab

    def show(self, state: State) -> Show:
        """That state, and nothing of the one before."""
        one = self.friend if state.paired else self.stranger
        # Routes of the state before would answer too. The last page of a window takes that along, and Chromium draws the
        # next window's own bar with a renderer that computes ten times as long as ours: so the new one comes first.
        before = one.page
        one.page = one.context.new_page()
        before.close()
        one.listen()
        show = Show(one, self.pages.origin)
        if state.paired:
            show.daemon.serve(one.page)
        state.bring(show)
        return show


@contextmanager
def serving() -> Iterator[Pages]:
    """A daemon that serves the page, and knows no Pi."""
    with temporary_pi_home(NO_MODEL) as home, start_blocking_portal("asyncio") as portal:
        daemon = Daemon(portal, home, environment(home))
        daemon.start()
        try:
            status = daemon.status()
            assert status is not None
            yield Pages(home, daemon, re.sub(r"^ws(://[^/]*)/.*", r"http\1", status.url))
        finally:
            daemon.end()


def soon(page: Page, holds: Callable[[], bool]) -> None:
    """It comes to be so. The page's messages arrive while the page is waited for."""
    for _ in range(PATIENCE_MS // 50):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it has not come to be so")
