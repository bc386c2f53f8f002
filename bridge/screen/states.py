"""Which menu of Pi's own waits on a screen, if any: told by where it stands and how it is built, of both generations of Pi.

What an extension asks, a working Pi, an idle one, and a conversation that quotes a menu are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from bridge.screen.messages import Menu
from bridge.screen.page import Page, Region, at_editor, words

_FIELD: Final = ">"
"""What a text field's row begins with."""

_CHOICE: Final = ("\u2192 ", "\u203a ")
"""What the chosen row of a list begins with."""

_WORDS: Final = 2048
"""Characters of a menu that are looked at: Pi's have some hundreds, a screen full of something else has 60,000."""

_FORK_ROWS: Final = 7
"""Rows of what stands above the list of /fork, wrapped."""


@dataclass(frozen=True, slots=True)
class Found:
    """A menu, and the rows between its borders."""

    menu: Menu
    region: Region


@dataclass(frozen=True, slots=True)
class _Searched:
    """A menu with a text field that has the focus. `head` is what stands before the field."""

    menu: Menu
    head: re.Pattern[str]

    def fits(self, region: Region) -> bool:
        row = region.cursor
        if row is None or region.texts[0] or not region.texts[row].lstrip().startswith(_FIELD):
            return False
        head = words(region.texts[:row])
        return len(head) <= _WORDS and self.head.fullmatch(head) is not None


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A menu of a list alone. `tail` is its last words, which a small terminal may not show."""

    menu: Menu
    head: re.Pattern[str]
    tail: re.Pattern[str]
    spaced: bool = True
    """Whether an empty row comes before the head."""
    telling: bool = True
    """Whether the head says enough without the tail."""

    def fits(self, region: Region) -> bool:
        texts = region.texts
        if not texts or bool(texts[0]) is self.spaced:
            return False
        said = words(texts)
        if len(said) > _WORDS:
            return False
        ends = (region.cut_below and self.telling) or self.tail.search(said) is not None
        return ends and self.head.match(said) is not None and any(text.lstrip().startswith(_CHOICE) for text in texts)


def _is_login(region: Region) -> bool:
    """The dialog that asks for a key or a code: unlike an extension's it has its title in its first row."""
    texts = region.texts
    return bool(texts) and re.match(r" (Login to \S|.* setup$)", texts[0]) is not None


def _is_settings(region: Region) -> bool:
    texts = region.texts
    return bool(texts) and texts[0].startswith(_FIELD) and _SETTINGS_TAIL.search(words(texts)[-_WORDS:]) is not None


def _is_fork(region: Region) -> bool:
    above = words(region.page.texts[max(region.top - _FORK_ROWS, 0) : max(region.top, 0)])
    return _FORK_HEAD.search(above) is not None and any(text.startswith(_CHOICE) for text in region.texts)


_SETTINGS_TAIL: Final = re.compile(r"Type to search · \S+ to change · \S+ to cancel")
_FORK_HEAD: Final = re.compile(r"Fork from Message Select a user message to [^.]* new session$")
_NAVIGATED: Final = r"↑↓ navigate \S+ %s \S+ cancel$"

_RULES: Final[tuple[tuple[Menu, Callable[[Region], bool]], ...]] = (
    ("login", _is_login),
    ("settings", _is_settings),
    ("fork", _is_fork),
    *(
        (rule.menu, rule.fits)
        for rule in (
            _Searched("model", re.compile(r"Only showing models from configured providers\..*|Scope: all \| scoped .*")),
            _Searched("scoped-models", re.compile(r"Model Configuration Session-only\..*")),
            _Searched("resume", re.compile(r"[^|]*[◉○] Current Folder \| .*\bSort: .*|Rename Session")),
            _Searched("thinking", re.compile(r"Thinking Level .* cycles thinking levels in-session")),
            _Searched("login", re.compile(r"Select provider to configure:")),
            _Searched("logout", re.compile(r"Select provider to logout:")),
            _Chosen("login", re.compile(r"Select authentication method"), re.compile(_NAVIGATED % "select")),
            _Chosen("trust", re.compile(r"Project trust "), re.compile(_NAVIGATED % "save")),
            _Chosen("trust", re.compile(r"Trust project folder\?.* This allows "), re.compile(_NAVIGATED % "select")),
            _Chosen("tree", re.compile(r"Summarize branch\? .*No summary"), re.compile(_NAVIGATED % "select")),
            _Chosen("settings", re.compile(r"\S"), re.compile(r" Enter to select · Esc to go back$"), False, False),
        )
    ),
)

_CUT: Final[tuple[tuple[Menu, re.Pattern[str]], ...]] = (
    ("settings", re.compile(_SETTINGS_TAIL.pattern + "$")),
    ("scoped-models", re.compile(r" toggle · [^·]* all · [^·]* clear · [^·]* provider · [^·]* reorder · [^·]* save\b")),
    ("model", re.compile(r"(\(\d+/\d+\) Model Name: [^·]{0,200}|No matching models[^·]{0,60})(to select · [^·]* · [^·]* to cancel)?$")),
    ("trust", re.compile(_NAVIGATED % "save")),
    ("login", re.compile(r"(• not configured|✓ configured) \(\d+/\d+\)$|\([^\s(]+ to cancel(, \S+ to submit)?\)$")),
)
"""By their last words, where the terminal is so small that only those are left."""


def recognise(page: Page) -> Found | None:
    """The menu that waits on this page."""
    tree = _tree(page)
    if tree is not None:
        return Found("tree", tree)
    for region in at_editor(page):
        for menu, fits in _RULES:
            if not region.cut_above and fits(region):
                return Found(menu, region)
        if region.cut_above:
            said = words(region.texts)[-_WORDS:]
            for menu, tail in _CUT:
                if tail.search(said):
                    return Found(menu, region)
    return None


def _tree(page: Page) -> Region | None:
    """The tree has a border in its midst."""
    borders = page.borders[-3:]
    for top, middle in pairwise(borders):
        head = page.texts[top + 1 : middle]
        if head and head[0].strip() == "Session Tree" and "Type to search:" in words(head):
            bottom = borders[-1] if borders[-1] > middle else len(page.texts)
            return Region(page, top, bottom)
    return None
