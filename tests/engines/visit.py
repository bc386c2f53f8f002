"""A person with one browser on the session: pairs it, reads, writes, answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mirrord.wire.messages import Method
from tests.e2e.play import Asked
from tests.e2e.stage import until
from tests.engines.page import PATIENCE, Page
from tests.web.web import Web

COMPOSER: Final = "textarea.composer-field"
SENDS: Final = "button.composer-send"
LIST: Final = "h1"
BANNER: Final = "section[aria-label=Connection]"
CARD: Final = "[data-method]"

_EXPECTED: Final = re.compile(
    # A browser says so of each try while the daemon is away.
    r"WebSocket connection to 'ws://[^']*' failed|"
    # And so where a size changed while it told of others, and is told of in the next frame.
    r"ResizeObserver loop completed"
)


@dataclass(slots=True)
class Visit:
    """The browser of that name on the stage."""

    web: Web
    page: Page
    name: str

    def pair(self) -> None:
        """Types the code that `mirrord pair` shows, and a name; ends on the list of sessions."""
        self.page.open(self.web.origin)
        self.page.type("input", self.web.code().code, "Code")
        self.page.fill("input", self.name, "Name of this browser")
        self.page.picture("pairing")
        self.page.press("button", "Pair this browser")
        self.page.find(LIST, "Sessions")

    def begin(self) -> None:
        """Nothing of an earlier test is open or typed, and the page is loaded anew, on the session."""
        self.web.play.begin()
        self.page.open(self.web.origin)
        self.page.driver.run("(id) => { location.hash = `session=${encodeURIComponent(id)}`; }", self.web.stage.wait_session())
        self.page.driver.clear(self.page.find(COMPOSER))
        self.page.gone(CARD)

    def ask(self, method: Method, **more: object) -> Asked:
        """A dialog of this method is open in the terminal, and its card is on the page."""
        asked = self.web.ask(method, **more)
        self.page.find(CARD, asked.prompt.title)
        return asked

    def send(self, text: str) -> None:
        """Types it and presses what sends it; it is said once and answered."""
        self.page.type(COMPOSER, text)
        self.page.press(SENDS)
        self.shows(text)

    def shows(self, text: str) -> None:
        """The text is a row of the conversation, and so is the model's answer to it."""
        self.page.find(".msg-user", text)
        self.page.find(".msg-text", f"Echo: {text}")
        self.page.gone("button", "Stop")

    def phase(self, asked: Asked, phase: str) -> None:
        """Its card has come to that phase."""
        self.page.find(f"{CARD}[data-phase={phase}]", asked.prompt.title)

    def typed(self, css: str, text: str) -> None:
        """Waits until that stands in the field."""
        until(lambda: self.page.value(css) == text, PATIENCE, f"{text!r} is not in the {css}")

    def fits(self, css: str) -> None:
        """The field becomes as high as its text: nothing is to be scrolled in it."""
        hidden = "(field) => field.scrollHeight - field.clientHeight"
        until(lambda: self.page.driver.run(hidden, self.page.find(css)) <= 1, PATIENCE, f"not all of the text in {css} is seen")

    def assert_clean(self) -> None:
        """Nothing went wrong on the page that no test provoked."""
        faults = [fault for fault in self.page.gather() if not _EXPECTED.search(fault)]
        self.page.faults.clear()
        assert faults == []
