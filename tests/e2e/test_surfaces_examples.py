"""Promise: what Pi's own examples draw (dialogs of their own, header, footer, widgets) can be watched from afar, until it goes.

Each generation runs the examples of its own package, as they are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec
import pytest

from mirrord.wire import messages as wire
from tests.e2e.remote import Remote
from tests.e2e.showing import Showing, comes
from tests.e2e.stage import stage, until
from tests.harness.pi import EXERCISER, GENERATIONS, PiKind, examples

FILES: Final = (
    *("question", "questionnaire", "qna", "todo", "tools", "preset", "tic-tac-toe", "overlay-test", "snake"),
    *("custom-header", "custom-footer", "widget-placement", "status-line"),
)
COMES: Final = 10.0
PRESETS: Final = {"garden": {"tools": ["read"]}, "kitchen": {"tools": ["bash"]}}
QUESTIONS: Final = [
    {"id": name, "label": name, "prompt": f"Which {name}?", "options": [{"value": "one", "label": "one"}, {"value": "two", "label": "two"}]}
    for name in ("tree", "herb")
]


def tool(name: str, **arguments: object) -> str:
    """The line that has the scripted model call a tool."""
    return f"tool: {name} {msgspec.json.encode(arguments).decode()}"


@dataclass(frozen=True, slots=True)
class Scene:
    """A dialog of an example: the line that opens it, what it shows first, then keys and what it shows after them, and keys that end it.

    A step's text that is typed is a word in capitals: what follows may be what somebody types.
    """

    source: str
    opens: str
    shows: str
    steps: tuple[tuple[tuple[str, ...], str], ...]
    ends: tuple[str, ...]
    overlay: bool = False


SCENES: Final = (
    Scene(
        "question",
        tool("question", question="Which flower?", options=[{"label": "tulip"}, {"label": "rose", "description": "with thorns"}]),
        "Which flower?",
        ((("down",), "> 2. rose"), (("down", "enter"), "Your answer:"), (("WILD",), "WILD"), (("escape",), "> 3. Type something.")),
        ("up", "enter"),
    ),
    Scene(
        "questionnaire",
        tool("questionnaire", questions=QUESTIONS),
        "Which tree?",
        ((("down",), "> 2. two"), (("enter",), "Which herb?"), (("enter",), "Ready to submit")),
        ("enter",),
    ),
    Scene("todo", "/todos", "No todos yet", (), ("escape",)),
    Scene("tools", "/tools", "Tool Configuration", ((("enter",), "disabled"), (("enter",), "enabled")), ("escape",)),
    Scene("preset", "/preset", "garden", ((("down",), "kitchen"),), ("escape",)),
    Scene("tic-tac-toe", "/tic-tac-toe", "X (You)", ((("right",), "X (You)"), (("down",), "X (You)")), ("escape",)),
    Scene(
        "overlay-test",
        "/overlay-test",
        "Overlay Test",
        ((("WILD",), "Search: WILD"), (("down",), "▶ Run")),
        ("escape",),
        overlay=True,
    ),
    Scene("snake", "/snake", "SNAKE", ((("down",), "Score"),), ("q",)),
)


@dataclass(frozen=True, slots=True)
class Watched:
    """A Pi with the examples; `wall` is a device that may only look."""

    showing: Showing
    wall: Remote


# The id keeps all tests of a Pi on one worker.
@pytest.fixture(scope="module", params=[pytest.param(kind, id=f"{kind}+drawn") for kind in GENERATIONS])
def watched(request: pytest.FixtureRequest) -> Iterator[Watched]:
    kind: PiKind = request.param
    files = [examples(kind) / f"{name}.ts" for name in FILES]
    with stage(kind, extensions=(EXERCISER, *files), rows=60) as here:
        # Read when the session starts anew.
        (here.home.agent / "presets.json").write_bytes(msgspec.json.encode(PRESETS))
        here.run("t-reload")
        here.pi.settle(0.3)
        yield Watched(Showing(here), here.remote("wall", "observer"))


def views(remote: Remote) -> list[wire.ExtensionUINotification]:
    """What was told of views, since `forget`."""
    return remote.all(wire.ExtensionUINotification, lambda told: told.method == "setCustomView")


def sees(remote: Remote, text: str) -> wire.ExtensionUINotification:
    """The view as it is last, once that text is in it."""

    def last() -> str:
        return "\n".join((views(remote)[-1].widget_lines or ()) if views(remote) else ())

    until(lambda: bool(views(remote)) and text in last(), COMES, f"nobody sees {text!r}")
    return views(remote)[-1]


def is_on_the_screen(lines: tuple[str, ...], screen: str) -> bool:
    """Whether the terminal shows these lines. Those with characters that terminals disagree on are taken on trust."""
    rows = [row.strip() for row in screen.splitlines()]
    plain = [
        line.strip() for line in lines if not any(unicodedata.east_asian_width(letter) in "WF" or letter > "\u2fff" for letter in line)
    ]
    return all(any(line in row for row in rows) for line in plain)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.source)
def test_a_dialog_of_an_example_can_be_watched(watched: Watched, scene: Scene) -> None:
    showing, wall = watched.showing, watched.wall
    pi, phone = showing.stage.pi, showing.phone
    showing.rest()
    phone.forget()
    wall.forget()
    pi.line(scene.opens)
    view = sees(phone, scene.shows)
    (prompt,) = phone.all(wire.ExtensionUIRequest)
    assert (prompt.id, prompt.method, prompt.source) == (view.request_id, "custom", scene.source)
    assert (view.overlay, view.source) == (scene.overlay, scene.source)
    typed = False
    for keys, shows in scene.steps:
        before = views(phone)[-1]
        for key in keys:
            pi.send(key) if key.isupper() else pi.keys(key)
        typed = typed or any(key.isupper() for key in keys)
        until(partial(changes, phone, before), COMES, f"nothing is told of {keys}")
        view = sees(phone, shows)
        if "WILD" in keys:
            assert view.typing
            # A text field within another component has no caret of its own in an older Pi.
            assert caret(view) is not None or (showing.stage.kind.version == "0.73.1" and not scene.overlay)
    if scene.source != "snake":
        pi.settle(0.1)
        comes(lambda: is_on_the_screen(views(phone)[-1].widget_lines or (), pi.screen_text()), True)
    assert kept(showing) == [(prompt.id, views(phone)[-1].widget_lines)]
    pi.keys(*scene.ends) if len(scene.ends[0]) > 1 else pi.send(scene.ends[0])
    phone.settled(prompt.id)
    comes(lambda: (kept(showing), views(phone)[-1].widget_lines), ([], None))
    assert "WILD" not in "".join(wall.texts)
    assert typed == ("WILD" in "".join(phone.texts))


def changes(remote: Remote, before: wire.ExtensionUINotification) -> bool:
    return views(remote)[-1] != before


def kept(showing: Showing) -> list[tuple[str, tuple[str, ...]]]:
    """The views of a snapshot."""
    return [(view.request_id, view.widget_lines) for view in showing.later().views]


def caret(view: wire.ExtensionUINotification) -> object:
    assert view.native_surface is not None
    (block,) = view.native_surface.blocks
    return block.caret


def test_a_dialog_that_closes_at_once_is_told_with_its_last_frame(watched: Watched) -> None:
    showing = watched.showing
    showing.rest()
    showing.stage.pi.line("say something first")
    showing.stage.pi.wait_for("Echo: say something first")
    showing.rest()
    showing.phone.forget()
    showing.stage.pi.line("/qna")
    view = sees_once(showing.phone, "Extracting questions")
    showing.phone.settled(view.request_id or "")
    handed = showing.phone.wait(wire.ExtensionUINotification, lambda told: told.method == "set_editor_text")
    assert handed.text is not None
    assert handed.text.startswith("Echo:")
    showing.rest()
    showing.stage.pi.keys("ctrl+u")


def sees_once(remote: Remote, text: str) -> wire.ExtensionUINotification:
    """A view with that text, be it gone by now."""
    return remote.wait(
        wire.ExtensionUINotification,
        lambda told: told.method == "setCustomView" and any(text in line for line in told.widget_lines or ()),
    )


def test_header_footer_and_widgets_of_examples(watched: Watched) -> None:
    showing = watched.showing
    snapshot = showing.later()
    assert [(surface.key, surface.placement, surface.widget_lines, surface.source) for surface in snapshot.surfaces] == [
        ("widget-above", "aboveEditor", ("Above editor widget",), "widget-placement"),
        ("widget-below", "belowEditor", ("Below editor widget",), "widget-placement"),
    ]
    assert snapshot.strips is not None
    assert [[pill.label for pill in strip if pill.kind == "widget"] for strip in (snapshot.strips.above, snapshot.strips.below)] == [
        ["widget-above"],
        ["widget-below"],
    ]
    assert [status.key for status in snapshot.statuses] == ["status-demo"]
    showing.rest()
    showing.stage.pi.line("/footer")
    footer = showing.phone.wait(wire.ExtensionUINotification, lambda told: told.method == "setFooter")
    assert footer.widget_lines is not None
    assert "scripted-1" in footer.widget_lines[0]
    assert footer.source == "custom-footer"
    showing.rest()
    showing.stage.pi.line("/footer")
    comes(lambda: showing.later().footer, None)


def test_a_header_that_is_set_at_the_start_is_told_and_pis_own_is_back(watched: Watched) -> None:
    showing = watched.showing
    if showing.stage.kind.version == "0.73.1":
        showing.rest()
    header = showing.later().header
    assert header is not None
    assert header.source == "custom-header"
    assert header.native_surface is not None
    (block,) = header.native_surface.blocks
    assert block.lines is not None
    assert {span.role for line in block.lines for span in line} >= {"accent", "muted"}
    showing.stage.pi.line("/builtin-header")
    comes(lambda: showing.later().header, None)
