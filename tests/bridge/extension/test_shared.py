"""Promise: where the extension repeats what Python says, in numbers and in how a configuration is read, it says the same."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from bridge import limits, messages

ROOT = Path(__file__).parents[3]
EXTENSION = ROOT / "bridge" / "extension"
CONFIGS = ROOT / "fixtures" / "config"
EXPECTED: dict[str, dict[str, Any] | None] = json.loads((CONFIGS / "expected.json").read_text())

FLAGS = {
    "mirror": ("mirror", True),
    "ask": ("ask", True),
    "askTool": ("ask_tool", False),
    "terminalNotice": ("terminal_notice", True),
}
"""The extension's names for the keys that are true or false, with the key and what it is when it is not there."""

SHARED = [
    "KIB",
    "TEXT_BYTES",
    "OPTIONS_SENT",
    "PROMPT_BYTES",
    "CONTENT_BYTES",
    "PIECE_BYTES",
    "OPTIONS_KEPT",
    "OPTIONS_BYTES",
    "QUESTIONS",
    "FRAME_BYTES",
    "HELLO_SECONDS",
    "PING_SECONDS",
    "DEAD_SECONDS",
    "KEPT_SETTLEMENTS",
    "OPEN_PROMPTS",
    "STATUSES",
    "WIDGETS",
    "KEY_BYTES",
    "SOURCE_BYTES",
    "DRAWN_LINES",
    "LINE_BYTES",
    "DRAWN_BYTES",
    "NATIVE_BYTES",
    "NATIVE_DEPTH",
    "NATIVE_ERROR_BYTES",
    "SGR_BYTES",
    "INDICATOR_FRAMES",
    "INDICATOR_FRAME_BYTES",
    "INDICATOR_MS_LEAST",
    "INDICATOR_MS_MOST",
    "UPDATE_MS",
    "CHAT_TEXT_BYTES",
    "CHAT_PAGE_ROWS",
    "CHAT_PAGE_BYTES",
]


def constants(name: str) -> dict[str, int]:
    """The numbers that a TypeScript file exports: literals and products of literals and earlier ones."""
    known: dict[str, int] = {}
    for key, expression in re.findall(r"^export const ([A-Z_]+) = ([\w *]+);$", (EXTENSION / name).read_text(), re.MULTILINE):
        value = 1
        for factor in expression.split("*"):
            value *= known[factor.strip()] if factor.strip() in known else int(ast.literal_eval(factor.strip()))
        known[key] = value
    return known


@pytest.mark.parametrize("name", SHARED)
def test_limits_are_the_same(name: str) -> None:
    assert constants("limits.ts")[name] == getattr(limits, name)


def test_protocols_are_the_same() -> None:
    spoken = constants("protocol.ts")
    assert (spoken["PROTOCOL_MIN"], spoken["PROTOCOL_MAX"]) == (messages.PROTOCOL_MIN, messages.PROTOCOL_MAX)


def test_each_configuration_has_an_expectation() -> None:
    assert {path.stem for path in CONFIGS.glob("*.toml")} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_tomllib_reads_a_configuration_as_expected(name: str) -> None:
    expected = EXPECTED[name]
    try:
        document = tomllib.loads((CONFIGS / f"{name}.toml").read_bytes().decode())
    except tomllib.TOMLDecodeError:
        assert expected is None
        return
    flags = {name: document.get(key, default) for name, (key, default) in FLAGS.items()}
    exclude = document.get("exclude", [])
    usable = all(isinstance(flag, bool) for flag in flags.values()) and isinstance(exclude, list)
    usable = usable and all(isinstance(item, str) for item in exclude)
    assert ({**flags, "exclude": exclude} if usable else None) == expected
