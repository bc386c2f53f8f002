"""What becomes of each member of `ctx.ui`. `docs/surfaces.md` is written from this file, and every row is played on the real Pi.

`python -m tests.e2e.surface_table` writes the page anew; `tests/e2e/test_surfaces.py` checks that it is current.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

PAGE: Final = Path(__file__).parents[2] / "docs" / "surfaces.md"
EXERCISER: Final = "exerciser"
"""The extension that plays the rows, as clients are told of it."""

COLUMNS: Final = 100
"""Of the terminal that the rows are played in."""

ID: Final = "ID"
"""Stands for an id that is another each time."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call. `command` and `arguments` have the exerciser make it.

    `told` is what a client gets that was there, without session and cursor; `kept` is what the snapshot of one that comes later has at
    `Row.place`, None for nothing.
    """

    call: str
    command: str
    arguments: Mapping[str, Any]
    told: Mapping[str, Any]
    kept: Any = None
    keys: tuple[str, ...] = ()
    """Pressed in the place of a command, where the person does it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A member that is shown. `place` is where the snapshot keeps it: a field, or field and key with a slash between; "" for nowhere."""

    member: str
    lives: str
    place: str
    steps: tuple[Step, ...]
    again: str = ""
    """Tells two rows of one member apart."""


def _call(member: str, *arguments: str) -> str:
    return f"ctx.ui.{member}({', '.join(arguments)})"


def surface(id_: str, title: str, lines: list[list[dict[str, Any]]], plain: list[str]) -> dict[str, Any]:
    """The surface of a component that says nothing about itself: one terminal block."""
    block = {"type": "terminal", "accessibility": {"label": "; ".join(plain)}, "lines": lines, "columns": COLUMNS}
    return {
        "version": 1,
        "id": id_,
        "source": "widget",
        "presentation": {"style": "surfacePanel", "title": title},
        "blocks": [block],
        "fallback": {"lines": plain},
    }


_DRAWN: Final = ["{accent}2 jobs{/} run", "\x1b]8;;https://example.org/jobs\x07all of them\x1b]8;;\x07"]
_DRAWN_LINES: Final[list[list[dict[str, Any]]]] = [
    [{"text": "2 jobs", "role": "accent"}, {"text": " run"}],
    [{"text": "all of them", "link": "https://example.org/jobs"}],
]
_DRAWN_PLAIN: Final = ["2 jobs run", "all of them"]
_FACTORY: Final = "(tui, theme) => component"


def _drawn(id_: str, title: str) -> dict[str, Any]:
    return {"widgetLines": _DRAWN_PLAIN, "nativeSurface": surface(id_, title, _DRAWN_LINES, _DRAWN_PLAIN), "source": EXERCISER}


_NATIVE: Final[dict[str, Any]] = {
    "version": 1,
    "id": "whatever the author wrote",
    "source": "widget",
    "presentation": {"style": "surfacePanel", "title": "Jobs", "subtitle": "2 run"},
    "blocks": [{"type": "activityList", "id": "jobs", "rows": [{"id": "a", "title": "Review", "state": "running"}]}],
    "fallback": {"lines": ["● Review"]},
}
_LINES: Final = ["Notes", "- first"]


def _lines_surface(key: str) -> dict[str, Any]:
    whole = surface(f"widget:{key}", key, [[{"text": line}] for line in _LINES], _LINES)
    del whole["blocks"][0]["columns"]
    return whole


def _widget(key: str, told: Mapping[str, Any], placement: str = "aboveEditor") -> dict[str, Any]:
    return {"method": "setWidget", "widgetKey": key, "widgetPlacement": placement, **told}


def _kept(key: str, told: Mapping[str, Any], placement: str = "aboveEditor") -> dict[str, Any]:
    return {"key": key, "placement": placement, **told}


_NOTES: Final = {"widgetLines": _LINES, "nativeSurface": _lines_surface("notes"), "source": EXERCISER}
_DRAWN_WIDGET: Final = _drawn("widget:drawn", "drawn")
_AUTHORED: Final = {"widgetLines": _DRAWN_PLAIN, "nativeSurface": {**_NATIVE, "id": "widget:native"}, "source": EXERCISER}
_INDICATOR: Final = {"frames": ["·", "•", "●", "•"], "intervalMs": 120}


ROWS: Final = (
    Row(
        "notify",
        "shown once, to who is there; never replayed",
        "",
        (
            Step(
                _call("notify", '"careful now"', '"warning"'),
                "t-notify",
                {"message": "careful now", "type": "warning"},
                {"method": "notify", "message": "careful now", "notifyType": "warning", "source": EXERCISER},
            ),
            Step(
                _call("notify", '"noted"'), "t-notify", {"message": "noted"}, {"method": "notify", "message": "noted", "source": EXERCISER}
            ),
        ),
    ),
    Row(
        "setTitle",
        "until it is set anew; an empty title clears it",
        "title",
        (
            Step(
                _call("setTitle", '"a title"'),
                "t-title",
                {"title": "a title"},
                {"method": "setTitle", "title": "a title", "source": EXERCISER},
                "a title",
            ),
            Step(_call("setTitle", '""'), "t-title", {"title": ""}, {"method": "setTitle", "source": EXERCISER}),
        ),
    ),
    Row(
        "setStatus",
        "by its key, until it is cleared",
        "statuses/job",
        (
            Step(
                _call("setStatus", '"job"', '"building"'),
                "t-status",
                {"key": "job", "text": "building"},
                {"method": "setStatus", "statusKey": "job", "statusText": "building", "source": EXERCISER},
                {"key": "job", "text": "building", "source": EXERCISER},
            ),
            Step(
                _call("setStatus", '"job"', '"testing"'),
                "t-status",
                {"key": "job", "text": "testing"},
                {"method": "setStatus", "statusKey": "job", "statusText": "testing", "source": EXERCISER},
                {"key": "job", "text": "testing", "source": EXERCISER},
            ),
            Step(_call("setStatus", '"job"', "undefined"), "t-status", {"key": "job"}, {"method": "setStatus", "statusKey": "job"}),
        ),
    ),
    Row(
        "setWidget",
        "by its key, until it is cleared; lines as they were given, for any width",
        "surfaces/notes",
        (
            Step(
                _call("setWidget", '"notes"', '["Notes", "- first"]'),
                "t-widget",
                {"key": "notes", "lines": _LINES},
                _widget("notes", _NOTES),
                _kept("notes", _NOTES),
            ),
            Step(
                _call("setWidget", '"notes"', '["Notes", "- first"]', '{ placement: "belowEditor" }'),
                "t-widget",
                {"key": "notes", "lines": _LINES, "placement": "belowEditor"},
                _widget("notes", _NOTES, "belowEditor"),
                _kept("notes", _NOTES, "belowEditor"),
            ),
            Step(_call("setWidget", '"notes"', "undefined"), "t-widget", {"key": "notes"}, _widget("notes", {}, "belowEditor")),
        ),
        "lines",
    ),
    Row(
        "setWidget",
        "as the terminal draws the component: roles and links in place of colours and escapes, `columns` the terminal's width",
        "surfaces/drawn",
        (
            Step(
                _call("setWidget", '"drawn"', _FACTORY),
                "t-widget",
                {"key": "drawn", "drawn": True, "lines": _DRAWN},
                _widget("drawn", _DRAWN_WIDGET),
                _kept("drawn", _DRAWN_WIDGET),
            ),
            Step(_call("setWidget", '"drawn"', "undefined"), "t-widget", {"key": "drawn"}, _widget("drawn", {})),
        ),
        "a component",
    ),
    Row(
        "setWidget",
        "what `renderNative()` gives, under an id made of the key; what the terminal draws in `widgetLines` beside it",
        "surfaces/native",
        (
            Step(
                _call("setWidget", '"native"', "() => ({ render, renderNative })"),
                "t-widget",
                {"key": "native", "drawn": True, "lines": _DRAWN, "native": _NATIVE},
                _widget("native", _AUTHORED),
                _kept("native", _AUTHORED),
            ),
            Step(_call("setWidget", '"native"', "undefined"), "t-widget", {"key": "native"}, _widget("native", {})),
        ),
        "a component with `renderNative()`",
    ),
    Row(
        "setHeader",
        "what is drawn in the place of Pi's header, until Pi's own is back",
        "header",
        (
            Step(
                _call("setHeader", _FACTORY),
                "t-header",
                {"lines": _DRAWN},
                {"method": "setHeader", **_drawn("region:header", "header")},
                {"key": "header", "placement": "aboveEditor", **_drawn("region:header", "header")},
            ),
            Step(_call("setHeader", "undefined"), "t-header", {}, {"method": "setHeader"}),
        ),
    ),
    Row(
        "setFooter",
        "what is drawn in the place of Pi's footer, until Pi's own is back",
        "footer",
        (
            Step(
                _call("setFooter", _FACTORY),
                "t-footer",
                {"lines": _DRAWN},
                {"method": "setFooter", **_drawn("region:footer", "footer")},
                {"key": "footer", "placement": "belowEditor", **_drawn("region:footer", "footer")},
            ),
            Step(_call("setFooter", "undefined"), "t-footer", {}, {"method": "setFooter"}),
        ),
    ),
    Row(
        "custom",
        "what the open dialog draws, to look at; it is also a prompt ([what becomes of it](prompts.md)), whose settlement ends it",
        f"views/{ID}",
        (
            Step(
                _call("custom", _FACTORY),
                "t-view",
                {"lines": _DRAWN},
                {"method": "setCustomView", "requestId": ID, "overlay": False, "typing": False, **_drawn(f"view:{ID}", "view")},
                {"requestId": ID, "overlay": False, "typing": False, **_drawn(f"view:{ID}", "view")},
            ),
            Step("`done()`, or a key that ends it", "", {}, {"method": "setCustomView", "requestId": ID}, keys=("escape",)),
        ),
    ),
    Row(
        "setWorkingMessage",
        "until Pi's own is back",
        "workingRow/message",
        (
            Step(
                _call("setWorkingMessage", '"Checking files…"'),
                "t-working",
                {"message": "Checking files…"},
                {"method": "setWorkingMessage", "message": "Checking files…"},
                "Checking files…",
            ),
            Step(_call("setWorkingMessage"), "t-working", {"message": None}, {"method": "setWorkingMessage"}),
        ),
    ),
    Row(
        "setWorkingVisible",
        "until it is shown again",
        "workingRow/visible",
        (
            Step(
                _call("setWorkingVisible", "false"),
                "t-working",
                {"visible": False},
                {"method": "setWorkingVisible", "workingVisible": False},
                False,
            ),
            Step(
                _call("setWorkingVisible", "true"),
                "t-working",
                {"visible": True},
                {"method": "setWorkingVisible", "workingVisible": True},
                True,
            ),
        ),
    ),
    Row(
        "setWorkingIndicator",
        "until Pi's own is back; without frames there is none",
        "workingRow/indicator",
        (
            Step(
                _call("setWorkingIndicator", '{ frames: ["·", "•", "●", "•"], intervalMs: 120 }'),
                "t-working",
                _INDICATOR,
                {"method": "setWorkingIndicator", "workingIndicator": _INDICATOR},
                _INDICATOR,
            ),
            Step(
                _call("setWorkingIndicator", "{ frames: [] }"),
                "t-working",
                {"frames": []},
                {"method": "setWorkingIndicator", "workingIndicator": {"frames": []}},
                {"frames": []},
            ),
            Step(_call("setWorkingIndicator"), "t-working", {"frames": None}, {"method": "setWorkingIndicator"}),
        ),
    ),
    Row(
        "setHiddenThinkingLabel",
        "until Pi's own is back",
        "hiddenThinkingLabel",
        (
            Step(
                _call("setHiddenThinkingLabel", '"Pondering"'),
                "t-label",
                {"text": "Pondering"},
                {"method": "setHiddenThinkingLabel", "hiddenThinkingLabel": "Pondering"},
                "Pondering",
            ),
            Step(_call("setHiddenThinkingLabel"), "t-label", {}, {"method": "setHiddenThinkingLabel"}),
        ),
    ),
    Row(
        "setToolsExpanded",
        "as the terminal has it, also when the person switches it",
        "toolsExpanded",
        (
            Step(
                _call("setToolsExpanded", "true"),
                "t-tools",
                {"expanded": True},
                {"method": "setToolsExpanded", "toolsExpanded": True},
                True,
            ),
            Step(
                _call("setToolsExpanded", "false"),
                "t-tools",
                {"expanded": False},
                {"method": "setToolsExpanded", "toolsExpanded": False},
                False,
            ),
        ),
    ),
    Row(
        "setEditorText",
        "handed over once, to who is there; the text then belongs to the composer",
        "",
        (
            Step(
                _call("setEditorText", '"Continue with tulips"'),
                "t-text",
                {"text": "Continue with tulips"},
                {"method": "set_editor_text", "handoffId": ID, "paste": False, "text": "Continue with tulips", "source": EXERCISER},
            ),
        ),
    ),
    Row(
        "pasteToEditor",
        "handed over once, to who is there; it belongs at the cursor",
        "",
        (
            Step(
                _call("pasteToEditor", '" and roses"'),
                "t-text",
                {"text": " and roses", "paste": True},
                {"method": "set_editor_text", "handoffId": ID, "paste": True, "text": " and roses", "source": EXERCISER},
            ),
        ),
    ),
)

PROMPTS: Final = ("select", "confirm", "input", "editor", "ask")
"""Members that ask, each in docs/prompts.md; `custom` is there and here."""

TERMINAL_OWNED: Final[Mapping[str, str]] = {
    "addAutocompleteProvider": "Completes what is typed at the terminal.",
    "getAllThemes": "Themes are the terminal's; a client has its own colours.",
    "getEditorComponent": "Gives the extension what it has set itself.",
    "getEditorText": "Reads what is typed at the terminal, for the extension alone.",
    "getTheme": "Themes are the terminal's; a client has its own colours.",
    "getToolsExpanded": "Reads what `setToolsExpanded` row tells.",
    "onTerminalInput": "Keys of the terminal; no client has any.",
    "setEditorComponent": "It draws what the person types: never told, not even its length.",
    "setTheme": "Colours are told as roles, and these stay what they are.",
    "theme": "The extension colours its lines with it; clients get roles.",
}
"""Members of which clients see nothing, and why."""

MEMBERS: Final = frozenset({row.member for row in ROWS} | set(PROMPTS) | set(TERMINAL_OWNED))

_INTRODUCTION: Final = """\
# What becomes of each member of `ctx.ui`

What extensions show besides prompts, call by call: what a client is told that is there, and what the snapshot of one that comes later has.
This page is written from `tests/e2e/surface_table.py` (`python -m tests.e2e.surface_table`), and `tests/e2e/test_surfaces.py` plays every
call on Pi 1.6.0 and 0.73.1. The same test fails when Pi's `ctx.ui` has a member that is not here.

What holds for all of them:

* A client gets at most 20 changes a second of one thing, 30 of everything and ten notifications a second; the last value always comes.
* A value that is set again as it was is told to nobody.
* What was set before the daemon came, or while it was away, is told when it comes. What was cleared meanwhile is cleared then.
* /reload, /new, /resume, /fork and the end of Pi take away what extensions showed, as they do in the terminal; what stays the same across
  them is not told again.
* Lines are drawn for the terminal's width and for no other: a component that is asked for another width may answer with it in the
  terminal too. `columns` says how wide that is.
* What is typed into a text field that a component draws is not for everybody: a widget, header or footer with one has no lines, and a view
  with one goes only to clients that may answer.
"""


def page() -> str:
    """docs/surfaces.md as it should be."""
    shown = "\n".join(f"| [`{row.member}`](#{_anchor(row)}) | {row.again} | {row.lives} |" for row in ROWS)
    asks = ", ".join(f"`{member}`" for member in PROMPTS)
    owned = "\n".join(f"| `{member}` | {why} |" for member, why in sorted(TERMINAL_OWNED.items()))
    return "\n".join(
        [
            _INTRODUCTION,
            "| shown | of | lives |",
            "|---|---|---|",
            shown,
            "",
            f"{asks} and `custom` open prompts, whose page is [What becomes of a prompt](prompts.md).",
            "",
            "| the terminal's own | why clients see nothing of it |",
            "|---|---|",
            owned,
            "",
            *map(_section, ROWS),
        ]
    )


def _heading(row: Row) -> str:
    return row.member + (f" of {row.again}" if row.again else "")


def _anchor(row: Row) -> str:
    return "".join(letter for letter in _heading(row).lower().replace(" ", "-") if letter.isalnum() or letter in "-_")


def _section(row: Row) -> str:
    parts = [f"## {_heading(row)}\n"]
    for step in row.steps:
        call = step.call if step.call.startswith("`") else f"`{step.call}`"
        parts.append(f"{call}\n\n```json\n{_json(step.told)}\n```\n")
        parts.append(f"{_in_the_snapshot(row, step)}\n")
    return "\n".join(parts)


def _in_the_snapshot(row: Row, step: Step) -> str:
    if not row.place:
        return "Nothing in a later snapshot."
    field, _, key = row.place.partition("/")
    where = f"`{field}`" if not key else f"`{field}.{key}`" if field == "workingRow" else f"`{field}`, under `{key}`"
    if step.kept is None:
        return f"In a later snapshot: nothing at {where}."
    if isinstance(step.kept, dict) and "nativeSurface" in step.kept:
        return f"In a later snapshot the same, at {where}."
    return f"In a later snapshot, at {where}: `{json.dumps(step.kept, ensure_ascii=False)}`"


def _json(message: Mapping[str, Any]) -> str:
    """One field a line, each short enough to read."""
    return "{\n" + ",\n".join(f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in message.items()) + "\n}"


if __name__ == "__main__":
    PAGE.write_text(page())
