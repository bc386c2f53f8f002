"""What `renderNative()` gave, as blocks that may be shown: whatever is valid is kept, whatever is not is left out, every cut is counted.

A value of a wrong type is as good as absent. An unknown role, trait, state or size is none, a number out of range is clamped, a block of an
unknown type keeps the fields that are known here. Every text and every link is clean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, get_args

from msgspec.structs import replace

from mirrord.intake.budget import Budget
from mirrord.intake.pencil import Pencil, spoken
from mirrord.wire.surface_limits import DEPTH, DETAIL_CLUSTERS, HEADING_CLUSTERS, ID_CLUSTERS
from mirrord.wire.surfaces import (
    BLOCK_FIELDS,
    REQUIRED_FIELD,
    Accessibility,
    ActivityRow,
    ActivityState,
    Block,
    Caret,
    SpacerSize,
    TextSpan,
)
from sanitize import label, text
from sanitize.limits import TAB_SPACES
from sanitize.links import names_other_host, safe_link
from sanitize.spans import ROLES, TRAITS, Line, Span
from sanitize.written import on_one_line, written

Given = dict[str, Any]

_TYPE_CLUSTERS: Final = 40
"""The name of a block's type or of a language."""

_TAB: Final = " " * TAB_SPACES
_BRACKETS: Final = len("[],")
"""What a line costs besides its spans."""

_OURS: Final = frozenset(("caret", "columns"))
"""Fields that an author cannot give."""

_KNOWN: Final = {type_: frozenset(names) - _OURS for type_, names in BLOCK_FIELDS.items()}
_ANY: Final = frozenset[str]().union(*_KNOWN.values())
"""What is kept of a block of an unknown type."""

_TEXTS: Final = ("markdown", "text")
_LISTS: Final = ("spans", "lines", "rows", "blocks")


def heading(raw: object, limit: int = HEADING_CLUSTERS) -> str | None:
    """A text on one line, None when there is none."""
    return label(raw, limit=limit).text or None if isinstance(raw, str) else None


def accessibility(raw: object) -> Accessibility | None:
    """What a screen reader is to say."""
    if not isinstance(raw, dict):
        return None
    given = Accessibility(*(heading(raw.get(name), DETAIL_CLUSTERS) for name in ("label", "value", "hint")))
    return given if given != Accessibility() else None


def _fraction(raw: object) -> float | None:
    return float(min(max(raw, 0), 1)) if isinstance(raw, int | float) and not isinstance(raw, bool) else None


def _flag(raw: object) -> bool | None:
    return raw if isinstance(raw, bool) else None


def _one_of(words: tuple[str, ...]) -> Callable[[object], str | None]:
    return lambda raw: raw if isinstance(raw, str) and raw in words else None


_state: Final = _one_of(get_args(ActivityState))

_SCALARS: Final[dict[str, Callable[[object], Any]]] = {
    "title": heading,
    "subtitle": heading,
    "label": heading,
    "language": lambda raw: heading(raw, _TYPE_CLUSTERS),
    "value": _fraction,
    "indeterminate": _flag,
    "size": _one_of(get_args(SpacerSize)),
}


@dataclass(slots=True)
class Reader:
    """Reads the blocks of one surface, within its budget."""

    budget: Budget
    pencil: Pencil

    def blocks(self, raw: list[Any], depth: int = 1) -> tuple[Block, ...]:
        """The blocks of a list."""
        if depth > DEPTH:
            self.budget.count("depth", 0, len(raw))
            return ()
        kept: list[Block] = []
        for place, item in enumerate(raw):
            if not self.budget.blocks or self.budget.full:
                self.budget.count("blocks", 0, len(raw) - place)
                break
            block = self._block(item, depth)
            self.budget.count("blocks", block is not None, 1)
            if block is not None:
                kept.append(block)
        return tuple(kept)

    def drawing(self, lines: list[Line], total: int, columns: int | None) -> Block | None:
        """Lines that were drawn, the first of `total`, as a terminal block; None when not even an empty one fits."""
        caret = next((Caret(row, line.caret) for row, line in enumerate(lines) if line.caret is not None), None)
        said = spoken(lines)
        shell = Block("terminal", accessibility=Accessibility(said) if said else None, lines=(), caret=caret, columns=columns)
        if not self.budget.spend(shell):
            return None
        return replace(shell, lines=self._take([list(line.spans) for line in lines], total))

    # ---- blocks ------------------------------------------------------------------------------------------------------

    def _block(self, item: object, depth: int) -> Block | None:
        given = item if isinstance(item, dict) else {}
        type_ = heading(given.get("type"), _TYPE_CLUSTERS)
        if type_ is None:
            return None
        if type_ == "terminal" and isinstance(given.get("text"), str) and not isinstance(given.get("lines"), list):
            given = given | {"lines": given["text"].split("\n")}
        known = _KNOWN.get(type_, _ANY)  # type: ignore[call-overload]  # any other name is what the default is for
        texts = {name: given[name] for name in _TEXTS if name in known and isinstance(given.get(name), str)}
        lists = {name: given[name] for name in _LISTS if name in known and isinstance(given.get(name), list)}
        if REQUIRED_FIELD.get(type_, "") not in {"", *texts, *lists}:
            return None
        self.budget.blocks -= 1
        block = Block(
            type_,
            id=heading(given.get("id"), ID_CLUSTERS),
            accessibility=accessibility(given.get("accessibility")),
            **{name: read(given.get(name)) for name, read in _SCALARS.items() if name in known},
        )
        if not self.budget.words(block.title, block.subtitle, block.label):
            return None
        block = replace(block, **{name: self.budget.take_text(raw) for name, raw in texts.items()}, **dict.fromkeys(lists, ()))
        if not self.budget.spend(block):
            return None
        return replace(block, **self._inside(lists, block.accessibility, depth))

    def _inside(self, lists: dict[str, list[Any]], said: Accessibility | None, depth: int) -> Given:
        inside: Given = {}
        for name, raw in lists.items():
            match name:
                case "spans":
                    inside[name] = self.budget.take_spans(self._spans(raw), self.budget.spans)
                case "lines":
                    lines = [spans for item in raw for spans in self._line(item)]
                    inside[name] = self._take(lines, len(lines))
                    words = spoken(Line(tuple(spans)) for spans in lines) if said is None else None
                    inside |= {"accessibility": Accessibility(words)} if words and self.budget.spend(Accessibility(words)) else {}
                case "rows":
                    inside[name] = self._rows(raw, depth + 1)
                case _:
                    inside[name] = self.blocks(raw, depth + 1)
        return inside

    # ---- spans -------------------------------------------------------------------------------------------------------

    def _spans(self, raw: list[Any], *, one_line: bool = False) -> list[Span]:
        given: list[Span] = []
        for item in raw:
            span = {"text": item} if isinstance(item, str) else item
            if not isinstance(span, dict) or not isinstance(span.get("text"), str):
                continue
            clean = text(span["text"]).text
            role, traits, link = span.get("role"), span.get("traits"), span.get("link")
            given.append(
                Span(
                    on_one_line(clean, _TAB) if one_line else clean,
                    next((known for known in ROLES if known == role), "primary"),
                    tuple(trait for trait in TRAITS if trait in traits) if isinstance(traits, list) else (),
                    link if isinstance(link, str) else None,
                )
            )
        return written(given, self.pencil.counters)

    def _line(self, item: object) -> Iterable[list[Span]]:
        """The spans of each line: a list of spans is one, a string is what a terminal shows for it."""
        if isinstance(item, str):
            return [list(line.spans) for line in self.pencil.lines([item])]
        return [self._spans(item, one_line=True) if isinstance(item, list) else []]

    def _take(self, lines: list[list[Span]], total: int) -> tuple[tuple[TextSpan, ...], ...]:
        """As many lines as fit; the spans that are left are shared so that each line keeps its text."""
        kept: list[tuple[TextSpan, ...]] = []
        filled = sum(map(bool, lines[: self.budget.lines]))
        for spans in lines[: self.budget.lines]:
            filled -= bool(spans)
            taken = self.budget.take_spans(spans, max(self.budget.spans - filled, 1))
            if spans and not taken:
                break
            kept.append(taken)
            self.budget.room -= _BRACKETS
        self.budget.lines -= len(kept)
        self.budget.count("lines", len(kept), total)
        return tuple(kept)

    # ---- rows --------------------------------------------------------------------------------------------------------

    def _rows(self, raw: list[Any], depth: int) -> tuple[ActivityRow, ...]:
        if depth > DEPTH:
            self.budget.count("depth", 0, len(raw))
            return ()
        kept: list[ActivityRow] = []
        for place, item in enumerate(raw):
            if not self.budget.rows or self.budget.full:
                self.budget.count("rows", 0, len(raw) - place)
                break
            row = self._row(item, place, depth)
            self.budget.count("rows", row is not None, 1)
            if row is not None:
                kept.append(row)
        return tuple(kept)

    def _row(self, item: object, place: int, depth: int) -> ActivityRow | None:
        given = item if isinstance(item, dict) else {}
        title = heading(given.get("title"))
        if title is None:
            return None
        subtitle, detail = heading(given.get("subtitle")), heading(given.get("detail"), DETAIL_CLUSTERS)
        row = ActivityRow(
            id=heading(given.get("id"), ID_CLUSTERS) or f"row-{place + 1}",
            title=title,
            subtitle=subtitle,
            detail=detail,
            state=_state(given.get("state")),  # type: ignore[arg-type]  # one of its words
            progress=_fraction(given.get("progress")),
            link=row_link(given.get("link"), title, subtitle, detail),
        )
        self.budget.rows -= 1
        if not self.budget.words(title, subtitle, detail) or not self.budget.spend(row):
            return None
        children = given.get("children")
        return replace(row, children=self._rows(children, depth + 1)) if isinstance(children, list) and children else row


def row_link(raw: object, *shown: str | None) -> str | None:
    """Where a row leads, unless what it shows names another place."""
    link = safe_link(raw) if isinstance(raw, str) else None
    return link if link is not None and not names_other_host(" ".join(filter(None, shown)), link) else None
