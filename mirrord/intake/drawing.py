"""What a component drew, and what its `renderNative()` gave, as the one surface that clients are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from bridge import messages as said
from mirrord.core.model import Drawing
from mirrord.intake.budget import LONGEST_ESCAPE, Budget
from mirrord.intake.native import Reader, heading
from mirrord.intake.pencil import Pencil
from mirrord.wire.parts import Truncation
from mirrord.wire.surface_limits import FALLBACK_BYTES, KEY_CLUSTERS, SURFACE_BYTES, WIDGET_LINES_BYTES
from mirrord.wire.surfaces import Fallback, NativeSurface, Presentation
from sanitize import label, text
from sanitize.spans import Line

SOURCE_CLUSTERS: Final = 80
"""The name of an extension."""

VERSION: Final = 1
"""The version of native surfaces that is read, and written."""

_FIELD_CLUSTERS: Final = 40
_QUOTES: Final = len('"",')
_KEYS_BYTES: Final = 32
"""The names of a fallback's fields."""
_SHORTEST_TEXT: Final = 64
"""A text shorter than that is not worth its place."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What arrived for one surface. `title` heads one that has no heading of its own; `id` is ours, whatever its author wrote."""

    id: str
    title: str
    lines: Sequence[str]
    columns: int | None
    native: object = None
    source: str | None = None
    truncated: tuple[said.Truncation, ...] = ()


def drawing(drawn: Drawn, pencil: Pencil) -> Drawing | None:
    """The surface; None for one that shows nothing, which is cleared."""
    rendered = pencil.lines(drawn.lines, drawn.columns)
    total = max(sum(line.count("\n") + 1 for line in drawn.lines), len(rendered))
    plain = [line.text for line in rendered]
    made = _authored(drawn, plain, pencil)
    if made is None and not any(plain):
        return None
    surface, cuts = made or _drawn(drawn, rendered, plain, total, pencil)
    lines = tuple(_within(plain, WIDGET_LINES_BYTES)) if any(plain) else (surface.presentation.title or drawn.title,)
    truncated = [Truncation(label(cut.field, limit=_FIELD_CLUSTERS).text, cut.shown, cut.total) for cut in drawn.truncated]
    truncated += cuts
    if any(plain) and len(lines) < total:
        truncated.append(Truncation("widgetLines", len(lines), total))
    return Drawing(
        native=surface,
        lines=lines,
        size=len(msgspec.json.encode((surface, lines))),
        heading=_author_heading(drawn.native) if made else None,
        source=source_of(drawn.source),
        truncated=tuple(truncated),
    )


def blank(drawn: Drawn) -> Drawing:
    """A surface of nothing but blanks, where one has to be: a dialog that has drawn nothing yet."""
    native = NativeSurface(VERSION, drawn.id, "widget", Presentation("surfacePanel", drawn.title), ())
    return Drawing(native, (), len(msgspec.json.encode(native)), source=source_of(drawn.source))


def source_of(raw: str | None) -> str | None:
    """The name of an extension, clean."""
    return heading(raw, SOURCE_CLUSTERS)


def key_of(raw: str) -> str:
    """The key of a widget or a status, clean; it is shown where there is no other label."""
    return label(raw, limit=KEY_CLUSTERS).text


def _authored(drawn: Drawn, plain: list[str], pencil: Pencil) -> tuple[NativeSurface, list[Truncation]] | None:
    """What the author gave, as far as it is valid; None when it is nothing of version 1, or not one of its blocks is a block."""
    given = _object(drawn.native)
    blocks = given.get("blocks")
    if given.get("version", VERSION) != VERSION or not isinstance(blocks, list):
        return None
    head = _object(given.get("presentation"))
    shown = Presentation("surfacePanel", heading(head.get("title")) or drawn.title, heading(head.get("subtitle")))
    fallback, cuts = _fallback(_object(given.get("fallback")), plain, pencil)
    shell = NativeSurface(VERSION, drawn.id, "widget", shown, (), fallback)
    reader = _reader(shell, pencil)
    kept = reader.blocks(blocks)
    return (replace(shell, blocks=kept), [*reader.budget.cuts(), *cuts]) if kept or not blocks else None


def _drawn(drawn: Drawn, rendered: list[Line], plain: list[str], total: int, pencil: Pencil) -> tuple[NativeSurface, list[Truncation]]:
    """One terminal block of what was drawn."""
    lines, cuts = _fallback_lines(plain)
    shell = NativeSurface(VERSION, drawn.id, "widget", Presentation("surfacePanel", drawn.title), (), Fallback(lines=lines))
    reader = _reader(shell, pencil)
    block = reader.drawing(rendered, total, drawn.columns)
    return replace(shell, blocks=(block,) if block else ()), [*reader.budget.cuts(), *cuts]


def _reader(shell: NativeSurface, pencil: Pencil) -> Reader:
    """A reader with the room that the rest of the surface leaves."""
    return Reader(Budget(SURFACE_BYTES - len(msgspec.json.encode(shell))), pencil)


def _fallback(given: dict[str, Any], plain: list[str], pencil: Pencil) -> tuple[Fallback | None, list[Truncation]]:
    """The author's own, else what was drawn."""
    raw = given.get("lines")
    own = [line for line in raw if isinstance(line, str)] if isinstance(raw, list) else []
    written = given.get("text")
    if own:
        lines, cuts = _fallback_lines([line.text for line in pencil.lines(own)], len(own))
    elif isinstance(written, str) or not any(plain):
        lines, cuts = (), []
    else:
        lines, cuts = _fallback_lines(plain)
    room = (FALLBACK_BYTES - len(msgspec.json.encode(lines))) // LONGEST_ESCAPE
    shown = text(written, room).text or None if isinstance(written, str) and room >= _SHORTEST_TEXT else None
    return Fallback(shown, lines or None) if shown or lines else None, cuts


def _fallback_lines(plain: list[str], total: int = 0) -> tuple[tuple[str, ...], list[Truncation]]:
    lines = tuple(_within(plain, FALLBACK_BYTES // LONGEST_ESCAPE - _KEYS_BYTES))
    total = max(total, len(plain))
    return lines, [Truncation("nativeSurface.fallback", len(lines), total)] if len(lines) < total else []


def _within(lines: Iterable[str], limit: int) -> Iterator[str]:
    """The first lines, as many as take no more than `limit` bytes."""
    for line in lines:
        limit -= len(line.encode()) + _QUOTES
        if limit < 0:
            return
        yield line


def _author_heading(native: object) -> str | None:
    head = _object(_object(native).get("presentation"))
    return " · ".join(filter(None, (heading(head.get("title")), heading(head.get("subtitle"))))) or None


def _object(raw: object) -> dict[str, Any]:
    return raw if isinstance(raw, dict) else {}
