"""Who is said to show something. `docs/provenance.md` is written from this file, and every row is played on the real Pi.

`python -m tests.e2e.provenance_table` writes the page anew; `tests/e2e/test_provenance.py` plays it and checks that it is current.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[2] / "docs" / "provenance.md"

PLACES: Final = {
    "plan": "extensions/plan.ts",
    "deploy": "extensions/deploy/index.ts",
    "lint": "extensions/lint/src/index.ts",
    "guard": "node_modules/pi-guard/index.ts",
    "gate": "node_modules/@ada/pi-gate/src/index.ts",
    "review": "tools/review/src/main.ts",
    "twin": "other/extensions/plan.ts",
    "wrapper": "extensions/wrapper.ts",
}
"""Copies of the test extension by the name in their commands, and where each of them is."""

HELPERS: Final = {
    "extensions/deploy/helper.ts": "export const say = (set, key) => set(key, 'said');\n",
    "node_modules/talker/index.js": "export const say = (set, key) => set(key, 'said');\n",
    "node_modules/talker/package.json": '{"name": "talker", "version": "1.0.0", "type": "module", "main": "index.js"}\n',
}
"""What they import, by where it is."""


@dataclass(frozen=True, slots=True)
class Row:
    """A copy of the test extension that says something in one of its ways, and who is said to have; None: nobody."""

    case: str
    name: str
    how: str
    source: str | None
    why: str = ""
    """Where that is not the extension."""
    wrapped: bool = False


ROWS: Final = (
    Row("a file below `extensions/`", "plan", "command", "plan"),
    Row("a folder below `extensions/`", "deploy", "command", "deploy"),
    Row("a file deeper in such a folder", "lint", "command", "lint"),
    Row("a package", "guard", "command", "pi-guard"),
    Row("a package with a scope", "gate", "command", "@ada/pi-gate"),
    Row("a file that is anywhere else", "review", "command", "review"),
    Row("a handler of one of Pi's events", "plan", "event", "plan"),
    Row("a tool that the model calls", "plan", "tool", "plan"),
    Row("a timer", "plan", "timer", "plan"),
    Row("after an `await`", "plan", "await", "plan"),
    Row("another file of the extension", "deploy", "file", "deploy"),
    Row("a package that the extension uses", "plan", "package", "talker", "it is the first on the stack that is not Pi's"),
    Row(
        "a function that another extension put around `ctx.ui`",
        "plan",
        "command",
        "wrapper",
        "the other extension is the one that calls",
        wrapped=True,
    ),
    Row(
        "a method that was taken out of `ctx.ui` and given to Node to call",
        "plan",
        "handed",
        None,
        "nobody but Node is on the stack",
    ),
    Row("a file of the same name elsewhere", "twin", "command", "plan", "both are called what their files are called"),
    # The last one: whoever calls right after it is not looked at either.
    Row("one of a flood", "plan", "flood", None, "after 40 calls within 200 ms nobody looks; what has a key keeps who set it last"),
)


def page() -> str:
    """docs/provenance.md as it should be."""
    right = [row for row in ROWS if not row.why]
    other = [row for row in ROWS if row.why]
    return "\n".join(
        [
            _INTRODUCTION,
            "## Where it is right\n",
            "| called from | for example | `source` |",
            "|---|---|---|",
            *(f"| {row.case} | `{PLACES[row.name]}` | `{row.source}` |" for row in right),
            "\n## Where it is another one, or cannot be known\n",
            "| called from | `source` | why |",
            "|---|---|---|",
            *(f"| {row.case} | {f'`{row.source}`' if row.source else 'not there'} | {row.why} |" for row in other),
            _END,
        ]
    )


_INTRODUCTION: Final = """\
# Who shows something

Prompts, statuses, widgets and all else that extensions show have a `source`, where it is known: the name that a person would know the
extension by. Pi does not tell who calls, so our extension reads the call stack at the moment of the call. This page is written from
`tests/e2e/provenance_table.py`, and every row is played on Pi 1.6.0 and 0.73.1.
"""

_END: Final = """
A `source` helps a person to tell surprises apart and proves nothing: an extension runs with all rights of Pi and can call itself anything.
Several extensions in one bundle have the bundle's name.
"""


if __name__ == "__main__":
    PAGE.write_text(page())
