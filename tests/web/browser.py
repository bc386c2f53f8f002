"""A real Chromium, and tabs in it that hold whatever goes wrong on a page against the test."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Literal

from playwright.sync_api import Browser, BrowserContext, BrowserType, ConsoleMessage, Page, Request, sync_playwright

from tests.harness.pi import ROOT

CHROMIUM: Final = ROOT / ".cache" / "browser" / "chromium"

FLAGS: Final = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-sync",
    "--no-first-run",
    # Root runs the tests of a container, where the sandbox does not start.
    "--no-sandbox",
)

PATIENCE_MS: Final = 30_000
"""How long a page may take for what takes tens of milliseconds on an idle machine."""

# The browser says so of each try while a daemon is away or the device is offline, which is what those tests are about.
_EXPECTED: Final = re.compile(
    r"WebSocket connection to 'ws://[^']*' failed|net::ERR_(?:CONNECTION_REFUSED|INTERNET_DISCONNECTED)|"
    r"WebSocket is closed before the connection is established|"
    # Where a test wants no worker between itself and the network.
    r"Service Worker registration blocked"
)
_TELL_VIOLATIONS: Final = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy violated: ${event.effectiveDirective} by ${event.blockedURI} in ${event.sourceFile}:${event.lineNumber}`));
"""

Scheme = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Size:
    """A device's window, in CSS pixels."""

    name: str
    width: int
    height: int
    is_phone: bool

    def __str__(self) -> str:
        return self.name


PHONE: Final = Size("phone", 390, 844, is_phone=True)
DESKTOP: Final = Size("desktop", 1280, 800, is_phone=False)
SIZES: Final = (PHONE, DESKTOP)


@dataclass
class Tab:
    """A page of a browser profile of its own. `faults` is what went wrong on it so far."""

    page: Page
    context: BrowserContext
    size: Size
    faults: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    """Addresses of other origins that were asked for."""

    def __post_init__(self) -> None:
        self.context.on("request", self._asked)
        self.listen()

    def listen(self) -> None:
        """From now on the page is listened to: it is new."""
        self.page.on("pageerror", lambda error: self.faults.append(f"uncaught: {error}"))
        self.page.on("console", self._said)

    def excuse(self, *patterns: str) -> None:
        """Forgets the faults that match: the test provoked them. AssertionError for a pattern that nothing matches."""
        for pattern in patterns:
            found = [fault for fault in self.faults if re.search(pattern, fault)]
            assert found, f"nothing like {pattern!r} among {self.faults}"
            self.faults = [fault for fault in self.faults if fault not in found]

    def assert_clean(self) -> None:
        """Nothing went wrong, and nobody but the page's own origin was asked for anything."""
        faults, elsewhere = self.faults[:], self.elsewhere[:]
        self.faults.clear()
        self.elsewhere.clear()
        assert faults == []
        assert elsewhere == []

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not _EXPECTED.search(message.text):
            self.faults.append(f"{message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        if not re.match(r"(?:http|ws)://(?:127\.0\.0\.1|localhost):\d+/|about:|data:|blob:", request.url):
            self.elsewhere.append(request.url)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser; nothing of it is left at the end."""
    with sync_playwright() as playwright, launched(playwright.chromium) as browser:
        yield browser


@contextmanager
def launched(kind: BrowserType, *flags: str) -> Iterator[Browser]:
    """A browser of its own beside any that runs; `flags` are added to its command line."""
    if not CHROMIUM.exists():
        raise FileNotFoundError("there is no browser yet: run make setup")
    browser = kind.launch(executable_path=CHROMIUM, args=[*FLAGS, *flags])
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def tab(browser: Browser, size: Size, *, scheme: Scheme = "light", offline_shell: bool = False, scale: float = 1) -> Iterator[Tab]:
    """A tab in a profile of its own. With `offline_shell` the page's worker may keep its files."""
    context = browser.new_context(
        viewport={"width": size.width, "height": size.height},
        has_touch=size.is_phone,
        is_mobile=size.is_phone,
        color_scheme=scheme,
        device_scale_factor=scale,
        # As a person would have it: no animation hides a jump, and no test waits for one.
        reduced_motion="reduce",
        service_workers="allow" if offline_shell else "block",
    )
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(_TELL_VIOLATIONS)
    try:
        yield Tab(context.new_page(), context, size)
    finally:
        context.close()


def all_clean(tabs: Sequence[Tab]) -> None:
    """No tab has a fault."""
    for one in tabs:
        one.assert_clean()
