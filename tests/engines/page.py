"""What a person does on the page in any engine: looks for things by what they say, presses, types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from tests.e2e.stage import until
from tests.engines.webdriver import Driver, Element, StaleElement
from tests.web.card import STOOD_STILL

_T = TypeVar("_T")

PATIENCE: Final = 20.0
"""Seconds; how long a page may take for what takes tens of milliseconds on an idle machine."""

# What is named by its label or its words, and is drawn. The last is the innermost and the newest.
_SEEN: Final = """(css, says) => [...document.querySelectorAll(css)].filter((one) => one.checkVisibility() &&
  `${one.ariaLabel ?? ""} ${[...(one.labels ?? [])].map((label) => label.textContent)} ${one.textContent}`.includes(says)).at(-1) ?? null"""
_LISTEN: Final = """() => {
  const faults = (window.faults = []);
  for (const level of ["error", "warn"]) {
    const say = console[level];
    console[level] = (...said) => { faults.push(`${level}: ${said.join(" ")}`); say.apply(console, said); };
  }
  addEventListener("error", (event) => faults.push(`uncaught: ${event.message}`));
  addEventListener("unhandledrejection", (event) => faults.push(`rejected: ${event.reason}`));
  document.addEventListener("securitypolicyviolation", (event) =>
    faults.push(`policy: ${event.effectiveDirective} by ${event.blockedURI}`));
}"""


@dataclass(slots=True)
class Page:
    """The page in one browser. What goes wrong on it is heard from the moment it is loaded: WebDriver has no way to listen sooner."""

    driver: Driver
    pictures: Path
    """Where pictures of it go."""
    faults: list[str] = field(default_factory=list)

    def open(self, url: str) -> None:
        self.driver.go(url)
        self.driver.run(_LISTEN)

    def reload(self) -> None:
        self.gather()
        self.driver.reload()
        self.driver.run(_LISTEN)

    def gather(self) -> list[str]:
        """What went wrong so far, on this page and those before it."""
        self.faults += self.driver.run("() => window.faults.splice(0)")
        return self.faults

    def hears(self, word: str) -> bool:
        """Waits until something with that word went wrong."""
        until(lambda: any(word in fault for fault in self.gather()), PATIENCE, f"nothing with {word!r} went wrong")
        return True

    def seen(self, css: str, says: str = "") -> Element | None:
        """The last such thing that is shown and says this, if there is one."""
        try:
            found = self.driver.run(_SEEN, css, says)
        except StaleElement:
            # It went while it was told of.
            return None
        return found if isinstance(found, Element) else None

    def find(self, css: str, says: str = "") -> Element:
        """The same; waits for it."""
        found: list[Element] = []

        def look() -> bool:
            found.extend(filter(None, [self.seen(css, says)]))
            return bool(found)

        until(look, PATIENCE, f"the page shows no {css} that says {says!r}")
        return found[0]

    def gone(self, css: str, says: str = "") -> None:
        """Waits until no such thing is shown."""
        until(lambda: self.seen(css, says) is None, PATIENCE, f"the page still shows a {css} that says {says!r}")

    def press(self, css: str, says: str = "") -> None:
        """Presses it with the mouse, once it can be pressed and stands still."""
        self._use(f"{css}:not([aria-disabled=true])", says, self._press)

    def type(self, css: str, text: str, says: str = "") -> None:
        """Types it with the keyboard, after what stands there."""
        self._use(css, says, lambda field: self.driver.keys(field, text))

    def fill(self, css: str, text: str, says: str = "") -> None:
        """Types it in place of what stands there."""
        self._use(css, says, self.driver.clear)
        self.type(css, text, says)

    def value(self, css: str, says: str = "") -> Any:
        return self._use(css, says, lambda field: self.driver.run("(field) => field.value", field))

    def _press(self, target: Element) -> None:
        self.driver.run(STOOD_STILL, target)
        self.driver.click(target)

    def _use(self, css: str, says: str, use: Callable[[Element], _T]) -> _T:
        """What `use` gives; once more when another thing took the place of the first."""
        try:
            return use(self.find(css, says))
        except StaleElement:
            return use(self.find(css, says))

    def picture(self, name: str) -> None:
        """Keeps what it looks like now."""
        self.pictures.mkdir(parents=True, exist_ok=True)
        # What was changed just now is drawn in the next frame, and shown after it.
        self.driver.run("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
        (self.pictures / f"{name}.png").write_bytes(self.driver.screenshot())
