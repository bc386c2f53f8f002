"""Promise: what a component draws has the roles and links that its author meant, in either theme, with many colours or few."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from tests.e2e.showing import Showing, comes
from tests.e2e.stage import stage
from tests.harness.pi import GENERATIONS, PiKind

DEPTHS: Final = {
    "many": ({"PI_TRUE_COLOR": "1", "COLORTERM": "truecolor"}, b"38;2;"),
    "few": ({"PI_TRUE_COLOR": "0", "COLORTERM": "", "TERM_PROGRAM": "Apple_Terminal"}, b"38;5;"),
}
"""The environment in which Pi draws with 24-bit colours, or with 256 (0.73.1 does so in few terminals); and how these look in what it
writes."""

ROLES: Final = {"accent": "accent", "success": "success", "warning": "warning", "error": "danger", "muted": "muted", "dim": "muted"}
"""Token of Pi's themes → role for clients."""

TRAITS: Final = "\x1b[1mbold\x1b[22m, \x1b[3mslanted\x1b[23m, \x1b[4munder\x1b[24m, \x1b[9mgone\x1b[29m"
LINK: Final = "{accent}\x1b]8;;https://example.org/a?b=c\x1b\\docs\x1b]8;;\x1b\\{/} and \x1b]8;;javascript:alert(1)\x1b\\none\x1b]8;;\x1b\\"
LINES: Final = [*(f"{{{token}}}it is {token}{{/}}, plainly" for token in ROLES), TRAITS, LINK]

SPANS: Final = [
    *([{"text": f"it is {token}", "role": role}, {"text": ", plainly"}] for token, role in ROLES.items()),
    [
        {"text": "bold", "traits": ["bold"]},
        {"text": ", "},
        {"text": "slanted", "traits": ["italic"]},
        {"text": ", "},
        {"text": "under", "traits": ["underline"]},
        {"text": ", "},
        {"text": "gone", "traits": ["strikethrough"]},
    ],
    [{"text": "docs", "role": "accent", "link": "https://example.org/a?b=c"}, {"text": " and none"}],
]


@pytest.fixture(
    scope="module",
    params=[pytest.param((kind, depth), id=f"{kind}+{depth}") for kind in GENERATIONS for depth in DEPTHS],
)
def coloured(request: pytest.FixtureRequest) -> Iterator[tuple[Showing, bytes]]:
    kind: PiKind
    kind, depth = request.param
    env, mark = DEPTHS[depth]
    with stage(kind, env=env) as here:
        yield Showing(here), mark


@pytest.mark.parametrize("command", ["t-widget", "t-footer"])
def test_roles_and_links_are_the_authors_and_another_theme_changes_nothing(coloured: tuple[Showing, bytes], command: str) -> None:
    showing, mark = coloured
    showing.begin()

    def shown() -> list[object]:
        surfaces = [message["nativeSurface"] for message in showing.told("setWidget", "setFooter")]
        return [block["lines"] for surface in surfaces for block in surface["blocks"]]

    showing.run(command, lines=LINES, **({"drawn": True} if command == "t-widget" else {}))
    comes(shown, [SPANS])
    before = showing.stage.pi.snapshot()
    written = len(showing.stage.pi.output())
    for theme in ("light", "dark"):
        showing.run("t-theme", name=theme)
        showing.stage.pi.settle(0.3)
        assert showing.stage.pi.snapshot().lines != before.lines or theme == "dark"
        # The same roles as before: nothing is told.
        assert shown() == [SPANS]
    assert mark in showing.stage.pi.output(written)
    assert [other in showing.stage.pi.output(written) for _, other in DEPTHS.values() if other != mark] == [False]
