"""What a person does with a question card: finds it, waits until it takes a press, chooses, types, sends."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from playwright.sync_api import Locator, Page, expect

from tests.web.browser import PATIENCE_MS

expect.set_options(timeout=PATIENCE_MS)

# The card takes no press for 400 ms after it appeared or moved; this is measured where the card is drawn.
STOOD_STILL: Final = """(card) => new Promise((resolve) => {
  let place = "", since = 0;
  const look = (now) => {
    const { left, top, width, height } = card.getBoundingClientRect();
    const seen = [left, top, width, height].map(Math.round).join();
    if (seen !== place) { place = seen; since = now; }
    if (!card.isConnected || now - since > 450) resolve(); else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""

How = Literal["tap", "keys"]


@dataclass(frozen=True, slots=True)
class Card:
    """The card of the prompt with that title, small or as a sheet."""

    page: Page
    title: str

    @property
    def place(self) -> Locator:
        return self.page.locator("[data-method]").filter(has_text=self.title)

    def shown(self) -> Card:
        """It is there, and has stood still long enough to take a press."""
        expect(self.place).to_be_visible()
        self.place.evaluate(STOOD_STILL)
        return self

    def phase(self, phase: str) -> Card:
        """It has come to that phase."""
        expect(self.place).to_have_attribute("data-phase", phase)
        return self

    def gone(self) -> None:
        """It is there no longer."""
        expect(self.place).to_have_count(0)

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.place.get_by_role("button", name=name)

    def press(self, name: str | re.Pattern[str]) -> None:
        """Presses the button of that name."""
        self.shown()
        self._press(self.button(name))

    def choose(self, label: str, role: Literal["radio", "checkbox"] = "radio") -> None:
        """Chooses an option."""
        self.shown()
        # Its description belongs to the name.
        option = self.place.get_by_role(role, name=re.compile(f"^{re.escape(label)}(?: |$)"))
        self._press(option)
        expect(option).to_have_attribute("aria-checked", "true")

    def type(self, text: str) -> None:
        """Fills the field that there is."""
        self.shown()
        self.place.get_by_role("textbox").fill(text)

    def open(self) -> Card:
        """Makes it a sheet, where it is not one yet."""
        self.shown()
        if self.place.evaluate("(card) => card.tagName") != "DIALOG":
            self._press(self.button(re.compile("^Open")).first)
            expect(self.page.get_by_role("dialog")).to_be_visible()
        return self.shown()

    def send(self) -> None:
        """Presses what sends."""
        self.press(re.compile("^Send"))

    def sender(self) -> Callable[[int], None]:
        """What presses the button that sends, so many ms later, with nothing looked for or waited for any more."""
        button = self.shown().button(re.compile("^Send")).element_handle()

        def send(after_ms: int) -> None:
            button.evaluate("(button, after) => void setTimeout(() => button.click(), after)", after_ms)

        return send

    def _press(self, target: Locator) -> None:
        if self.page.evaluate("matchMedia('(pointer: coarse)').matches"):
            target.tap()
        else:
            target.click()
