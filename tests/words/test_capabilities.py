"""Promise: `mirrord status` says in words what each Pi can do, and of what it cannot what that means; there are words for everything."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from mirrord.cli.status_table import table
from mirrord.words.capabilities import MEANINGS, capability_lines
from tests.cli.prompts import session
from tests.cli.test_status_table import status

EXTENSION = Path(__file__).parents[2] / "bridge" / "extension"


def test_there_are_words_for_every_capability_that_the_extension_can_name() -> None:
    source = (EXTENSION / "capabilities.ts").read_text() + (EXTENSION / "index.ts").read_text()
    chat = re.findall(r'"(chat(?::[a-z]+)?)"', (EXTENSION / "chat_actions.ts").read_text())
    always = re.search(r"const ALWAYS = \[(.*?)\];", source)
    assert always is not None
    named = re.findall(r'\["([a-z:-]+)", \[', source) + re.findall(r'\.push\("([a-z:-]+)"\)', source) + re.findall(r'"(.*?)"', always[1])
    assert len(named) > 20
    assert len(chat) == 5
    assert {*named, *chat} == set(MEANINGS)


def test_a_pi_with_all_of_it_needs_one_line() -> None:
    assert list(capability_lines([*MEANINGS, "dialogs:stack"])) == ["mirrors everything"]


def test_what_is_missing_is_told_with_what_it_means() -> None:
    some = [name for name in MEANINGS if name not in ("widget:native", "region:footer")]
    first, *rest = capability_lines(some)
    assert first.startswith("mirrors choices, confirmations, ")
    assert rest == [
        "not widgets that describe themselves: they are shown as the terminal draws them",
        "not an extension's footer: it is seen at the terminal alone",
    ]


def test_what_a_later_extension_can_do_is_named() -> None:
    assert list(capability_lines([*MEANINGS, "view:\x1b[2Jhologram"])) == [
        "mirrors everything",
        "and what this version has no word for: view:hologram",
    ]


def test_who_knows_nothing_of_ours_mirrors_nothing() -> None:
    assert next(iter(capability_lines(["teleport"]))) == "mirrors nothing"


def test_who_has_said_nothing_has_no_line() -> None:
    assert list(capability_lines([])) == []


def test_the_table_says_it_for_each_session_below_the_sessions() -> None:
    able = msgspec.structs.replace(session(), capabilities=tuple(MEANINGS))
    rows = list(table(status((able,)), now=1))
    assert rows[rows.index("") + 3] == "  1-1 (Pi 1.6.0): mirrors everything"
