"""What a person sees of a terminal, without what depends on anything but the keys: to compare two runs of Pi by."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from mirrord.demo.screen import Snapshot
from mirrord.demo.terminal import Terminal, framed

MASKS: Final = (
    # The home's name is random; its length is not.
    (re.compile(r"/tmp/mirrord-\w{8}"), "/tmp/mirrord-HOME"),
    # At its end 1.6.0 names the conversation, whose name is random.
    (re.compile(r"pi --session [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "pi --session CONVERSATION"),
    # A spinner turns by the clock.
    (re.compile("[\u2800-\u28ff]"), "*"),
    # How long a tool ran.
    (re.compile(r"\b(Took|Elapsed) \d+\.\ds"), r"\1 TIME"),
)
"""The only things on the screen that depend on anything but the keys."""


def masked(text: str) -> str:
    for pattern, instead in MASKS:
        text = pattern.sub(instead, text)
    return text


def look(pi: Terminal) -> Snapshot:
    """What a person sees, without what depends on anything but the keys."""
    snapshot = pi.snapshot()
    lines = tuple(tuple(replace(run, text=masked(run.text)) for run in line) for line in snapshot.lines)
    return replace(snapshot, lines=lines, title=masked(snapshot.title))


def difference(wanted: Snapshot, seen: Snapshot) -> str:
    """For a failure message: both screens, and the first row that differs only in colour."""
    texts = ["\n".join("".join(run.text for run in line) for line in snapshot.lines) for snapshot in (wanted, seen)]
    if texts[0] != texts[1]:
        return f"without us\n{framed(texts[0])}\nwith us\n{framed(texts[1])}"
    rows = [(row, pair) for row, pair in enumerate(zip(wanted.lines, seen.lines, strict=True)) if pair[0] != pair[1]]
    return (
        f"{framed(texts[0])}\n{(wanted.cursor, seen.cursor, wanted.title, seen.title, wanted.alternate, seen.alternate)}, rows {rows[:1]}"
    )
