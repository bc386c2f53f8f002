"""Promise: docs/configuration.md has every setting, as the program has it."""

from __future__ import annotations

import re
from pathlib import Path

from mirrord.cli.config_table import toml
from mirrord.config import KEYS, Key, Taken
from mirrord.daemon.hooks import PASSED_ON, Told

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "configuration.md").read_text()
WHEN = {Taken.START: "start", Taken.RELOAD: "reload", Taken.PI: "Pi", Taken.CODE: "code"}


def row(key: Key) -> str:
    default = key.unset if key.default is None else f"`{toml(key.default)}`"
    sources = ", ".join(f"`{each}`" for each in (key.env, key.flag) if each is not None) or "-"
    return f"| `{key.name}` | {default} | {key.doc} Must be {key.kind.words}. | {sources} | {WHEN[key.taken]} |"


def test_every_setting_is_in_the_table_and_nothing_else() -> None:
    rows = [line for line in PAGE.splitlines() if re.match(r"\| `[a-z_.]+` \| .* \| (start|reload|Pi|code) \|$", line)]
    assert rows == [row(key) for key in KEYS.values()]


def test_what_the_program_gets_is_told() -> None:
    assert all(f"`{name}`" in PAGE for name in PASSED_ON)
    assert all(f"`{name}`" in PAGE for name in Told.__struct_encode_fields__)
