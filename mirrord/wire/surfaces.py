"""Native surfaces of the extension UI contract (`ExtensionUINativeSurface`, version 1), and what a session keeps of what Pi shows.

Names and fields are the contract's; ours are `caret` and `columns` of a terminal block. Everything that is shown here is clean: texts by
`sanitize`, structure by `mirrord.intake.native`.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, get_args

from msgspec import Meta

from mirrord.wire.parts import Part, Truncation
from sanitize.spans import Role, Trait

ActivityState = Literal["queued", "running", "success", "warning", "error", "inactive"]
SpacerSize = Literal["small", "medium", "large"]
Placement = Literal["aboveEditor", "belowEditor"]
PillKind = Literal["widget", "status"]

BlockType = Literal["text", "markdown", "section", "activityList", "progress", "terminal", "code", "divider", "spacer"]
"""The types of version 1; a client shows the fallback of a surface for any other."""

BLOCK_TYPES: Final[tuple[BlockType, ...]] = get_args(BlockType)

BLOCK_FIELDS: Final[dict[BlockType, tuple[str, ...]]] = {
    "text": ("spans",),
    "markdown": ("markdown",),
    "section": ("blocks", "title", "subtitle"),
    "activityList": ("rows",),
    "progress": ("label", "value", "indeterminate"),
    "terminal": ("lines", "caret", "columns"),
    "code": ("text", "language"),
    "divider": (),
    "spacer": ("size",),
}
"""The fields of each type, besides `id` and `accessibility`."""

REQUIRED_FIELD: Final[dict[str, str]] = {
    "text": "spans",
    "markdown": "markdown",
    "section": "blocks",
    "activityList": "rows",
    "terminal": "lines",
    "code": "text",
}
"""The field without which a block of the type shows nothing."""


_TYPED: Final = Meta(
    extra_json_schema={
        "allOf": [{"if": {"properties": {"type": {"const": kind}}}, "then": {"required": [name]}} for kind, name in REQUIRED_FIELD.items()]
    }
)
"""Makes the schema of a block say so."""


class Accessibility(Part, frozen=True):
    """What a screen reader says instead of, or beside, what is seen."""

    label: str | None = None
    value: str | None = None
    hint: str | None = None


class TextSpan(Part, frozen=True, gc=False):
    """A run of text with one look; without a role it is the primary text. `link` has passed the policy of `sanitize.links`."""

    text: str
    role: Role | None = None
    traits: tuple[Trait, ...] = ()
    link: str | None = None


class Caret(Part, frozen=True, gc=False):
    """Where Pi marked its cursor: the line, from 0, and the code points of the line's text before it."""

    row: int
    column: int


class ActivityRow(Part, frozen=True):
    """One row of an activity list. `progress` is between 0 and 1; `link` leads to a page or to a session (`oppi://session/ID`)."""

    id: str
    title: str
    subtitle: str | None = None
    detail: str | None = None
    state: ActivityState | None = None
    progress: float | None = None
    link: str | None = None
    children: tuple[ActivityRow, ...] = ()


class Block(Part, frozen=True):
    """A block of any type; `BLOCK_FIELDS` says which fields belong to which.

    One struct for all, because a union by `type` would refuse a whole message for one block of a later version. A block of a type that is
    not in BLOCK_TYPES holds what it has of these fields, clean. `value` is between 0 and 1. `columns` is the terminal's width that `lines`
    were drawn at, None where they were not drawn for a width.
    """

    type: str
    id: str | None = None
    accessibility: Accessibility | None = None
    title: str | None = None
    subtitle: str | None = None
    label: str | None = None
    spans: tuple[TextSpan, ...] | None = None
    markdown: str | None = None
    blocks: tuple[Annotated[Block, _TYPED], ...] | None = None
    rows: tuple[ActivityRow, ...] | None = None
    value: float | None = None
    indeterminate: bool | None = None
    lines: tuple[tuple[TextSpan, ...], ...] | None = None
    caret: Caret | None = None
    columns: int | None = None
    language: str | None = None
    text: str | None = None
    size: SpacerSize | None = None


class Presentation(Part, frozen=True):
    """How a surface is headed."""

    style: Literal["surfacePanel"]
    title: str | None = None
    subtitle: str | None = None


class Fallback(Part, frozen=True):
    """What is shown instead of blocks that a client does not know or cannot draw."""

    text: str | None = None
    lines: tuple[str, ...] | None = None


class NativeSurface(Part, frozen=True):
    """A surface as blocks. `id` is derived from where it is shown: `widget:KEY`, `region:header`, `region:footer`, `view:PROMPT`."""

    version: Literal[1]
    id: str
    source: Literal["widget"]
    presentation: Presentation
    blocks: tuple[Annotated[Block, _TYPED], ...]
    fallback: Fallback | None = None


class Surface(Part, frozen=True):
    """A widget, or what stands in the place of Pi's header (`header`, above) or footer (`footer`, below), as it is now.

    `widget_lines` is its text alone; `truncated` lists what was cut from it, for a notice to the reader.
    """

    key: str
    placement: Placement
    widget_lines: tuple[str, ...] = ()
    native_surface: NativeSurface | None = None
    source: str | None = None
    truncated: tuple[Truncation, ...] = ()


class CustomView(Part, frozen=True):
    """What an open `custom` dialog draws now: to look at, and to answer at the terminal.

    `typing`: a text field has the focus, so that it may show what somebody types; observers then get neither lines nor surface.
    """

    request_id: str
    overlay: bool
    typing: bool
    widget_lines: tuple[str, ...] = ()
    native_surface: NativeSurface | None = None
    source: str | None = None
    truncated: tuple[Truncation, ...] = ()


class Indicator(Part, frozen=True):
    """Frames of the working row's glyph, animated by the client. No frames: there is no glyph."""

    frames: tuple[str, ...]
    interval_ms: int | None = None


class WorkingRow(Part, frozen=True):
    """The row that says that Pi works. Without `message` or `indicator` it is the client's own."""

    visible: bool
    message: str | None = None
    indicator: Indicator | None = None


class Pill(Part, frozen=True):
    """One pill of a strip: a widget with the status that belongs to it, or a status alone. `id` is `widget:KEY` or `status:KEY`."""

    id: str
    kind: PillKind
    key: str
    label: str
    status: str | None = None
    source: str | None = None


class Strips(Part, frozen=True):
    """The pills above and below the composer, in order; computed once, so that every client shows the same."""

    above: tuple[Pill, ...] = ()
    below: tuple[Pill, ...] = ()
