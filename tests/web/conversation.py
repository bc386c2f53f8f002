"""What a person does on the page of a session's conversation: reads rows, types, sends, stops, chooses; and a Pi with pages on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mirrord.demo import pi_home
from mirrord.demo.pi_home import PROVIDER
from tests.e2e.stage import Stage, stage
from tests.harness.pi import EXERCISER, FULLSCREEN
from tests.web.browser import DESKTOP, PHONE, Tab, all_clean, tab
from tests.web.web import Web, standing

OTHER_MODEL: Final = ("scripted-2", "Scripted Two")
SETTINGS: Final[Mapping[str, object]] = {
    # Pi keeps next to nothing when it sums up.
    "compaction": {"enabled": True, "reserveTokens": 1000, "keepRecentTokens": 10},
    "retry": {"enabled": False},
}
CLEAR: Final = b"\x15"
"""The key that empties Pi's line."""

_SAID: Final = """(rows) => rows.map((row) => {
  const [, kind] = /msg-(user|text)(?: |$)/.exec(row.className) ?? [];
  return kind && [kind, (row.querySelector(".typed, .prose")?.textContent ?? "").trim()];
}).filter(Boolean)"""

Said = tuple[Literal["user", "text"], str]
"""Who said what: the person, or Pi."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The conversation in one tab, under the name that it is paired by."""

    name: str
    tab: Tab

    @property
    def page(self) -> Page:
        return self.tab.page

    @property
    def composer(self) -> Locator:
        return self.page.get_by_role("region", name="Composer")

    @property
    def field(self) -> Locator:
        return self.composer.locator("textarea.composer-field")

    @property
    def hint(self) -> Locator:
        return self.composer.locator(".composer-hint")

    @property
    def queue(self) -> Locator:
        return self.composer.get_by_role("region", name="What waits in Pi")

    @property
    def on_their_way(self) -> Locator:
        """What was sent from here and is no row yet."""
        return self.composer.get_by_role("list", name="Messages on their way")

    @property
    def rows(self) -> Locator:
        return self.page.get_by_role("region", name="Conversation").get_by_role("article")

    def row(self, text: str, kind: str = "text") -> Locator:
        """Rows of that kind that have the text in them."""
        return self.page.locator(f".msg-{kind}").filter(has_text=text)

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.composer.get_by_role("button", name=name)

    def said(self) -> list[Said]:
        """What was said in the rows that are in the page, the newest last."""
        return [(kind, text) for kind, text in self.rows.evaluate_all(_SAID)]

    def shows(self, *texts: str) -> None:
        """Each of them is a row once, and Pi rests."""
        for text in texts:
            expect(self.page.locator(".msg-user, .msg-text").filter(has_text=re.compile(rf"^\s*{re.escape(text)}"))).to_have_count(1)
        self.rests()

    def rests(self) -> None:
        expect(self.button("Stop")).to_have_count(0)
        expect(self.on_their_way).to_have_count(0)

    def press(self, target: Locator) -> None:
        """As a finger or a mouse does."""
        if self.tab.size.is_phone:
            target.tap()
        else:
            target.click()

    def type(self, text: str) -> None:
        """A draft, in place of what stood there."""
        self.field.fill(text)
        expect(self.field).to_have_value(text)

    def send(self, text: str) -> None:
        """Types it and presses what sends it."""
        self.type(text)
        self.press(self.composer.locator("button.composer-send"))
        expect(self.field).to_have_value("")

    def choose(self, chip: Literal["Model", "Thinking"], label: str) -> None:
        """Picks one of what Pi offers."""
        self.press(self.button(re.compile(f"^{chip}: ")))
        picker = self.page.get_by_role("dialog", name=chip)
        self.press(picker.get_by_role("option", name=re.compile(f"^{re.escape(label)}")))
        expect(picker).to_have_count(0)
        expect(self.button(f"{chip}: {label}")).to_be_visible()


@dataclass(slots=True)
class Working:
    """A Pi that works for a person with a phone and a desktop."""

    web: Web
    phone: Conversation
    desk: Conversation
    numbers: count[int]

    @property
    def stage(self) -> Stage:
        return self.web.stage

    @property
    def both(self) -> tuple[Conversation, Conversation]:
        return self.phone, self.desk

    def text(self, words: str) -> str:
        """Words that nobody has said yet."""
        return f"{words} {next(self.numbers)}"

    def heard(self, text: str) -> int:
        """How often the model was asked this."""
        return sum(message.text == text for message in self.stage.model.heard())

    def type(self, line: str) -> None:
        """At the terminal; the screen rests first, so that Pi takes it as one line."""
        self.stage.pi.settle(0.1)
        self.stage.pi.line(line)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Pi is in the middle of a turn that the phone began, for the length of the block."""
        gate = self.stage.home.work / f"go {next(self.numbers)}"
        self.phone.send(f"run: until [ -e '{gate.name}' ]; do sleep 0.05; done")
        for one in self.both:
            expect(one.button("Stop")).to_be_visible()
            expect(one.row(gate.name, "tool").get_by_role("img", name="Running")).to_be_visible()
        try:
            yield
        finally:
            gate.touch()

    @contextmanager
    def reloading(self) -> Iterator[None]:
        """Pi's extensions are loaded anew in the block; after it both pages have heard of those: what the old ones showed is gone."""
        sign = self.text("before the reload")
        self.stage.run("t-status", key="sign", text=sign)
        signs = [one.page.locator(".strip").get_by_role("button").filter(has_text=sign) for one in self.both]
        for one in signs:
            expect(one).to_be_visible()
        yield
        for one in signs:
            expect(one).to_have_count(0)

    def enter(self) -> None:
        """Both pages are on the end of the conversation, nothing is typed, and Pi rests."""
        for one in self.both:
            self.web.enter(one.name)
            expect(one.field).to_be_visible()
            # Where a test before left one above its end, this one is not to find it there.
            for down in one.page.get_by_role("button", name=re.compile("^To the end$|new messages?$")).all():
                one.press(down)
            one.type("")
            for discard in one.on_their_way.get_by_role("button", name="Discard").all():
                one.press(discard)
            one.rests()


def two_models(base_url: str) -> Mapping[str, Any]:
    """Pi's models.json with another model beside the usual one."""
    known: Any = _models(base_url)
    (one,) = known["providers"][PROVIDER]["models"]
    id_, name = OTHER_MODEL
    known["providers"][PROVIDER]["models"] = [one, {**one, "id": id_, "name": name}]
    return known  # type: ignore[no-any-return] # it is what it was


_models: Final = pi_home.models


@contextmanager
def working(browser: Browser) -> Iterator[Working]:
    """Pi 1.6.0 with two models, the daemon, a phone whose worker may keep the page, and a desktop."""
    with (
        pytest.MonkeyPatch.context() as patch,
        ExitStack() as stack,
    ):
        patch.setattr(pi_home, "models", two_models)
        here = stack.enter_context(stage(FULLSCREEN, extensions=(EXERCISER,), settings=SETTINGS))
        web = stack.enter_context(standing(here))
        tabs = {
            "pocket": stack.enter_context(tab(browser, PHONE, offline_shell=True)),
            "desk": stack.enter_context(tab(browser, DESKTOP)),
        }
        for name, one in tabs.items():
            web.pair(one, name)
        tabs["pocket"].page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        phone, desk = (Conversation(name, one) for name, one in tabs.items())
        yield Working(web, phone, desk, count())


def at_rest(work: Working) -> Iterator[Working]:
    """Both pages on a Pi that rests; no page may have a fault at the end."""
    work.enter()
    yield work
    all_clean([one.tab for one in work.both])
