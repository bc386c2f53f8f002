"""A long session of Pi, as its file."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

ENTRIES: Final = 20_000
ENTRY_BYTES: Final = 5_000
"""With ENTRIES of them the file has 100 MB."""

STARTED_MS: Final = 1_700_000_000_000

_WORDS: Final = ("tulips", "north", "bed", "water", "frost", "roses", "spade", "rows", "seed", "spring")
_USAGE: Final[Mapping[str, Any]] = {
    "input": 100,
    "output": 20,
    "cacheRead": 0,
    "cacheWrite": 0,
    "totalTokens": 120,
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
}


def write_session(file: Path, cwd: Path, entries: int, entry_bytes: int = ENTRY_BYTES) -> list[str]:
    """Write a session of so many entries, each a line of about so many bytes; returns their ids, the oldest first."""
    dice = random.Random(entries)
    ids = [f"{number:08x}" for number in range(entries)]
    with file.open("wb") as lines:
        header = {"type": "session", "version": 3, "id": "0198c0de-0000-7000-8000-000000000008", "cwd": str(cwd)}
        lines.write(_line(header | {"timestamp": "2023-11-14T22:13:20.000Z"}))
        for number, message in enumerate(_messages(entries, entry_bytes, dice)):
            parent = ids[number - 1] if number else None
            entry = {"type": "message", "id": ids[number], "parentId": parent, "timestamp": "2023-11-14T22:13:20.000Z", "message": message}
            lines.write(_line(entry))
    return ids


def _messages(count: int, size: int, dice: random.Random) -> Iterator[Mapping[str, Any]]:
    """A question, an answer with a call, its result, an answer; again and again."""
    for number in range(count):
        text = {"type": "text", "text": _text(size - 300, dice)}
        at, call = STARTED_MS + number * 1000, f"call_{number // 4}"
        match number % 4:
            case 0:
                yield {"role": "user", "content": [text], "timestamp": at}
            case 2:
                yield {
                    "role": "toolResult", "toolCallId": call, "toolName": "bash", "content": [text], "isError": False, "timestamp": at
                }  # fmt: skip
            case place:
                calls = [{"type": "toolCall", "id": call, "name": "bash", "arguments": {"command": "cat beds"}}] if place == 1 else []
                yield {
                    "role": "assistant", "content": [text, *calls], "api": "openai-completions", "provider": "loopback",
                    "model": "scripted-1", "usage": _USAGE, "stopReason": "toolUse" if calls else "stop", "timestamp": at,
                }  # fmt: skip


def _text(size: int, dice: random.Random) -> str:
    """Words in lines of some 70 characters, as many as fit."""
    line = " ".join(dice.choices(_WORDS, k=12))
    return "\n".join([line] * (size // (len(line) + 2)))


def _line(value: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(value) + b"\n"
