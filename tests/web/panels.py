"""What extensions show, made up: widgets with every kind of block, drawings, dialogs, header and footer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mirrord.wire.parts import Truncation
from mirrord.wire.surfaces import (
    Accessibility,
    ActivityRow,
    Block,
    Caret,
    CustomView,
    Fallback,
    NativeSurface,
    Placement,
    Presentation,
    Surface,
    TextSpan,
)


def native(key: str, *blocks: Block, title: str | None = None, subtitle: str | None = None, **more: Any) -> NativeSurface:
    """A surface of these blocks."""
    return NativeSurface(1, f"widget:{key}", "widget", Presentation("surfacePanel", title, subtitle), blocks, **more)


def widget(key: str, *blocks: Block, placement: Placement = "aboveEditor", **more: Any) -> Surface:
    """A widget with these blocks; `more` is of the surface, or of what it goes with."""
    own = {name: more.pop(name) for name in ("source", "truncated", "widget_lines") if name in more}
    return Surface(key, placement, native_surface=native(key, *blocks, **more), **own)


def spans(*texts: str | tuple[str, ...]) -> tuple[TextSpan, ...]:
    """Spans from texts, or from (text, role), (text, role, trait)."""
    return tuple(TextSpan(one) if isinstance(one, str) else TextSpan(one[0], one[1] or None, one[2:]) for one in texts)  # type: ignore[arg-type]


def drawn(*lines: Sequence[TextSpan], columns: int | None = None, **more: Any) -> Block:
    """Lines as a component drew them."""
    return Block("terminal", lines=tuple(tuple(line) for line in lines), columns=columns, **more)


def view(prompt: str, *lines: Sequence[TextSpan], columns: int, caret: Caret | None = None, **more: Any) -> CustomView:
    """What a dialog draws."""
    surface = native("view", drawn(*lines, columns=columns, caret=caret), title="view")
    return CustomView(prompt, more.pop("overlay", False), more.pop("typing", False), native_surface=surface, **more)


NEXT: Final = """## Next

1. **Dig** the north bed, then
2. plant *tulips*
   - 20 cm apart
   - `Tulipa clusiana` last

> Rain is forecast for Thursday.

- [x] Order bulbs
- [ ] Mend the fence

| Bed | Bulbs | Done |
|---|--:|:-:|
| North | 120 | no |
| South | 80 | yes |

Read [the guide](https://garden.example/guide?bed=north) first.

```sh
dig --bed north --depth 20
```
"""

# ---- content --------------------------------------------------------------------------------------------------------------

JOBS: Final = widget(
    "jobs",
    Block(
        "activityList",
        id="jobs",
        rows=(
            ActivityRow(
                "store",
                "Session store behind a view",
                "Agent · 5 tool uses · 33.8k tokens",
                "editing 2 files",
                "running",
                0.4,
                children=(
                    ActivityRow("read", "Read the callers", "12 files", state="success"),
                    ActivityRow("move", "Move the table", state="running"),
                    ActivityRow("tests", "Run the tests", state="queued"),
                ),
            ),
            ActivityRow("notes", "Release notes", "Waits for the store", state="queued"),
            ActivityRow("pull", "Review of pull request 81", "2 comments", state="success", link="https://git.example/garden/pull/81"),
            ActivityRow("lag", "Replica", "lags by 40 s", state="warning"),
            ActivityRow("push", "Push to main", "rejected: main has moved", state="error"),
            ActivityRow("other", "Flaky test of the queue", "in another session", state="inactive", link="oppi://session/0198c0de-unknown"),
        ),
    ),
    title="Jobs",
    subtitle="1 running",
    source="planner",
)

GARDEN: Final = widget(
    "garden",
    Block(
        "text",
        id="intro",
        spans=(
            *spans("Beds are ", ("ready", "success", "bold"), ", water is ", ("low", "warning"), ". See the "),
            TextSpan("plan", "accent", ("underline",), "https://garden.example/plan"),
            *spans(" before ", ("Tuesday", "", "italic"), ", and skip ", ("the old list", "muted", "strikethrough"), "."),
        ),
    ),
    Block(
        "markdown",
        id="notes",
        markdown=NEXT,
    ),
    Block("divider"),
    Block(
        "section",
        id="beds",
        title="Beds",
        subtitle="north first",
        blocks=(
            Block("progress", label="North", value=0.62),
            Block("progress", label="South", value=1),
            Block("progress", label="Looking for slugs", indeterminate=True),
        ),
    ),
    Block("spacer", size="medium"),
    Block("code", language="toml", text='[beds.north]\nbulbs = 120\ndepth = "20 cm"\n'),
    Block("chart", accessibility=Accessibility("A chart of the rain"), title="Rain"),
    title="Garden",
    subtitle="3 beds",
    source="planner",
    fallback=Fallback(lines=("Garden: 3 beds", "north  62 %", "south 100 %")),
    truncated=(Truncation("nativeSurface.rows", 160, 500),),
)


def framed(title: str, *rows: Sequence[str | tuple[str, ...]], width: int) -> tuple[tuple[TextSpan, ...], ...]:
    """Rows in a frame of so many columns."""
    inside = width - 4

    def row(cells: Sequence[str | tuple[str, ...]]) -> tuple[TextSpan, ...]:
        taken = sum(len(cell if isinstance(cell, str) else cell[0]) for cell in cells)
        return spans(("│ ", "muted"), *cells, " " * (inside - taken), (" │", "muted"))

    top = spans(("╭─ ", "muted"), (title, "accent", "bold"), (f" {'─' * (width - len(title) - 5)}╮", "muted"))
    return (top, *(row(cells) for cells in rows), spans((f"╰{'─' * (width - 2)}╯", "muted")))


def linked(line: tuple[TextSpan, ...], text: str, link: str) -> tuple[TextSpan, ...]:
    """The line with a link on that text."""
    return tuple(TextSpan(span.text, "accent", ("underline",), link) if span.text == text else span for span in line)


BOARD: Final = widget(
    "board",
    drawn(
        *(
            linked(line, "ci.example/runs/4711", "https://ci.example/runs/4711")
            for line in framed(
                "Build",
                [("✓", "success"), " unit        812 passed in 14.2 s"],
                [("✗", "danger"), " browser       3 failed of 96", ("   test_panels, test_keyboard, test_reconnect", "secondary")],
                [("●", "warning"), " lint        ", ("running …", "secondary")],
                ["  log         ", "ci.example/runs/4711"],
                width=84,
            )
        ),
        columns=84,
        accessibility=Accessibility("Build: unit 812 passed, browser 3 failed of 96, lint running, log"),
    ),
    title="board",
    source="ci",
    widget_lines=("Build",),
)

NOTES: Final = Surface(
    "notes",
    "belowEditor",
    native_surface=native(
        "notes",
        drawn(spans("Call the nursery about the bulbs before Friday, and ask whether the crates come back."), spans("Fence: two posts")),
        title="notes",
    ),
    widget_lines=("Call the nursery about the bulbs before Friday, and ask whether the crates come back.", "Fence: two posts"),
    source="notes",
)

CLOCK: Final = widget(
    "clock",
    drawn(spans(("14:07", "accent", "bold"), "  next break in 23 min"), columns=100),
    placement="belowEditor",
    title="clock",
    source="clock",
)

HEADER: Final = Surface(
    "header",
    "aboveEditor",
    ("  ▄▄  Garden 1.0", "  ▀▀  12 skills, 3 beds"),
    native(
        "header",
        drawn(
            spans(("  ▄▄", "success"), "  ", ("Garden 1.0", "", "bold")),
            spans(("  ▀▀", "success"), ("  12 skills, 3 beds", "secondary")),
            columns=100,
        ),
        title="header",
    ),
    "planner",
)

FOOTER: Final = Surface(
    "footer",
    "belowEditor",
    ("main ✓  +3.5k -118  sonnet · high  42 % of context",),
    native(
        "footer",
        drawn(
            spans(
                ("main ✓", "success"),
                "  ",
                ("+3.5k", "success"),
                " ",
                ("-118", "danger"),
                ("  sonnet · high  42 % of context", "secondary"),
            ),
            columns=100,
        ),
        title="footer",
    ),
    "statusline",
)


def tic_tac_toe(prompt: str, **more: Any) -> CustomView:
    """A board, with the cursor on a field."""
    rule = spans(("───┼───┼───", "muted"))

    def row(*fields: str) -> tuple[TextSpan, ...]:
        roles = {"x": "accent", "o": "warning"}
        cells = [(f" {field} ", roles.get(field, "")) for field in fields]
        return spans(cells[0], ("│", "muted"), cells[1], ("│", "muted"), cells[2])

    return view(
        prompt,
        spans(("Tic-tac-toe", "", "bold"), ("   your turn: x", "secondary")),
        (),
        row("x", "o", " "),
        rule,
        row(" ", "x", " "),
        rule,
        row(" ", " ", "o"),
        (),
        spans(("arrows move · enter sets · q quits", "muted")),
        columns=100,
        caret=Caret(4, 9),
        **more,
    )


def form(prompt: str, **more: Any) -> CustomView:
    """A questionnaire over the whole width, with a text field."""
    lines = framed(
        "Release checklist", ["What should the release be called?"], [("> ", "accent"), "2026-12 tulips"], [("2 of 4", "muted")], width=96
    )
    return view(prompt, *lines, columns=96, caret=Caret(2, 18), typing=True, overlay=True, **more)
