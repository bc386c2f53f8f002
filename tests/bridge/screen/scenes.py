"""What is done in Pi for the recordings of `fixtures/screen`: each step says what the screen is then.

A mark is named `STATE:DETAIL`. STATE is the menu that waits, or `none`; where something was typed it is SECRET, a letter that is
nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

SECRET: Final = "ƶ"
"""Typed again and again, so that it is found wherever a line was cut."""

LONG: Final = SECRET * 130
"""Wraps over several rows of each recorded size."""


@dataclass(frozen=True, slots=True)
class Step:
    """Keys or a text, and what the screen shows once it is done (a regular expression, ^ and $ at each row)."""

    mark: str
    shows: str = ""
    line: str = ""
    """Text and Enter."""
    text: str = ""
    """Text alone."""
    keys: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    """Keys that leave what was open."""
    only: tuple[str, ...] = ()
    """Versions of Pi that have it; all where it is empty."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One run of Pi."""

    name: str
    steps: tuple[Step, ...]
    arguments: tuple[str, ...] = ()
    settings: dict[str, object] = field(default_factory=dict)
    starts: bool = True
    """Whether Pi comes up with its editor, and not with a menu."""
    only: tuple[str, ...] = ()


NEW: Final = ("1.6.0",)
OLD: Final = ("0.73.1",)
PROMPTED: Final = "^> *$"

QUOTED: Final = "\n".join(
    (
        "what is this?",
        "─" * 100,
        "",
        "Only showing models from configured providers. Use /login to add providers.",
        "",
        "> ",
        "→ ✓ scripted-1 [loopback]",
        "",
        "  Enter to select · Ctrl+S to set as default · Escape/Ctrl+C to cancel",
        "─" * 100,
        "",
        " Login to Groq",
        " (escape/ctrl+c to cancel, enter to submit)",
        "─" * 100,
    )
)
"""Menus in the words of somebody who asks about them."""

MENUS: Final = Scene(
    "menus",
    (
        Step("none:answered", "Echo: hello", line="hello"),
        Step("none:typed", SECRET, text=SECRET * 5),
        Step("none:typed-long", SECRET, text=LONG),
        Step("none:typed-lines", SECRET, before=("ctrl+c",), text=f"\x1b[200~{SECRET}\n{SECRET}{SECRET}\n\n{SECRET}\x1b[201~"),
        Step("none:commands", "scoped-models", before=("ctrl+c",), text="/mod"),
        Step("model:open", "Only showing models", before=("escape", "ctrl+c"), line="/model"),
        Step("model:typed", SECRET, text=SECRET * 3),
        Step("scoped-models:open", "Model Configuration", before=("escape",), line="/scoped-models"),
        Step("scoped-models:typed", SECRET, text=SECRET * 3),
        Step("resume:open", "○ All", before=("escape", "escape"), line="/resume"),
        Step("resume:typed", SECRET, text=SECRET * 3),
        Step("tree:open", "Session Tree", before=("escape", "escape"), line="/tree"),
        Step("tree:typed", SECRET, text=SECRET * 3),
        Step("tree:label", "Label", before=("escape",), text="L"),
        Step("tree:label-typed", SECRET, text=SECRET * 3),
        Step("fork:open", "Fork from Message", before=("escape", "escape"), line="/fork"),
        Step("settings:open", "Auto-compact", before=("escape",), line="/settings"),
        Step("settings:typed", SECRET, text=SECRET * 3),
        Step(
            "settings:submenu",
            "Esc to go back|Enter to select",
            before=("escape", "escape"),
            line="/settings",
            text="theme",
            keys=("enter",),
        ),
        Step("thinking:open", "Thinking Level", before=("escape", "escape"), line="/thinking", only=NEW),
        Step("thinking:typed", SECRET, text=SECRET * 3, only=NEW),
        Step("trust:open", "Project trust", before=("escape", "escape"), line="/trust", only=NEW),
        Step("login:method", "Select authentication method", before=("escape", "escape"), line="/login"),
        Step("login:providers", "Select provider", keys=("down", "enter")),
        Step("login:searched", SECRET, text=SECRET * 3),
        Step("login:key", "to submit", before=("backspace", "backspace", "backspace"), text="groq", keys=("enter",)),
        Step("login:key-typed", SECRET, text=SECRET * 20),
        Step("logout:open", "Select provider to logout", before=("escape", "escape", "escape", "escape"), line="/logout"),
        Step("logout:typed", SECRET, text=SECRET * 3),
        Step("none:select", "Pick a fruit", before=("escape",), line="/t-select"),
        Step("none:confirm", "Delete file", before=("escape",), line="/t-confirm"),
        Step("none:input", "Your name", before=("escape",), line="/t-input"),
        Step("none:input-typed", SECRET, text=SECRET * 130),
        Step("none:editor", "Edit the plan", before=("escape",), line="/t-editor"),
        Step("none:editor-typed", SECRET, text=LONG),
        Step("none:custom", "A form", before=("escape",), line="/s-custom"),
        Step("none:custom-typed", SECRET, text=SECRET * 3),
        Step("none:overlay", "A form", before=("escape",), line="/s-custom overlay"),
        Step("none:overlay-typed", SECRET, text=SECRET * 3),
        Step("none:quoted", "Echo: ", before=("escape",), text=f"\x1b[200~{QUOTED}\x1b[201~", keys=("enter",)),
        Step("none:working", "Working", line="run: sleep 4"),
        Step("none:working-typed", SECRET, text=SECRET * 5),
        Step("none:end", "Tool said", keys=("ctrl+c",)),
    ),
)

SMALL: Final = Scene(
    "small",
    (
        Step("none:typed", SECRET, text=SECRET * 5),
        Step("none:typed-long", SECRET, text=LONG),
        Step("settings:open", before=("ctrl+c",), line="/settings"),
        Step("settings:typed", text=SECRET * 3),
        Step("model:open", before=("escape", "escape"), line="/model"),
        Step("model:typed", text=SECRET * 3),
        Step("login:key", before=("escape", "escape"), line="/login"),
        Step("login:key-typed", keys=("down", "enter"), text="groq"),
        Step("login:key-entered", keys=("enter",)),
        Step("login:typed", text=SECRET * 30),
        Step("none:input-typed", before=("escape", "escape", "escape"), line="/t-input"),
        Step("none:input-more", SECRET, text=SECRET * 30),
        Step("none:editor-typed", before=("escape",), line="/t-editor"),
        Step("none:editor-more", SECRET, text=LONG),
        Step("none:custom-typed", before=("escape",), line="/s-custom"),
        Step("none:custom-more", text=SECRET * 3),
        Step("none:end", before=("escape",)),
    ),
)

TRUST: Final = Scene(
    "trust-at-start",
    (Step("trust:start", "Trust project folder"), Step("trust:moved", "Trust", keys=("down",))),
    settings={"defaultProjectTrust": "ask"},
    starts=False,
    only=NEW,
)

RESUME: Final = Scene(
    "resume-at-start",
    (Step("resume:start", "Resume Session"), Step("resume:typed", SECRET, text=SECRET * 3)),
    arguments=("--resume",),
    starts=False,
)

SCENES: Final = (MENUS, SMALL, TRUST, RESUME)
