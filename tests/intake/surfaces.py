"""Surfaces for tests: from raw lines and raw native JSON to what clients would get, and whatever the schema allows, hostile."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st

from mirrord.core.model import Drawing
from mirrord.intake.drawing import Drawn, drawing
from mirrord.intake.pencil import Pencil
from mirrord.wire.surfaces import BLOCK_TYPES, Block

Json = dict[str, Any]

ROOT = Path(__file__).parents[2]
CONTRACT: list[Json] = [json.loads(line) for line in (ROOT / "fixtures" / "wire" / "surfaces.jsonl").read_text("utf-8").splitlines()]

HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "a\x1b]8;;javascript:alert(1)\x07b\x1b]8;;\x07",
    "\x1b]0;title\x07",
    "\x1bPq#0;2;0;0;0\x1b\\",
    "\x9b31mc1\x9c",
    "\x00\x07\x08\x7f\x85",
    "evil\u202efdp.exe\u202c",
    "zero\u200bwidth\ufeff\u00ad",
    "tags\U000e0041\U000e007f",
    "\ud800half",
    "Z" + "\u0301" * 40,
    "\u0301starts with a mark",
    "line one\nline two\r\nthree\u2028four",
    "tab\there",
    "<script>alert(1)</script>",
    "👩\u200d👩\u200d\u200d",
    "\ue0b0 icon",
    "x" * 5_000,
    "",
    " ",
)
LINKS = (
    "https://garden.example/plan",
    "http://[::1]:8080/",
    "mailto:ada@garden.example",
    "oppi://session/0198c0de-0000-7000-8000-000000000001",
    "oppi://settings/erase",
    "javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "https://user:pass@garden.example/",
    "https://garden.example/\x1b[31m",
    "https://garden.example\u202e/",
    "//garden.example",
    "vbscript:x",
    "https://" + "a" * 4_000,
)


def drawn(native: object = None, lines: tuple[str, ...] = (), columns: int | None = 80, key: str = "jobs", **more: Any) -> Drawing:
    """The surface of a widget that shows something."""
    made = drawing(Drawn(f"widget:{key}", key, lines, columns, native, **more), more.pop("pencil", None) or Pencil())
    assert made is not None
    return made


def native(*blocks: object, **more: object) -> Json:
    """What an author's `renderNative()` gives."""
    return {"version": 1, "id": "whatever", "source": "widget", "presentation": {"style": "surfacePanel", "title": "Jobs"}} | {
        "blocks": list(blocks),
        **more,
    }


def blocks(*given: object) -> list[Json]:
    """The blocks that come out."""
    found: list[Json] = as_json(drawn(native(*given)).native)["blocks"]
    return found


def as_json(part: object) -> Any:
    """A struct as JSON has it."""
    return json.loads(msgspec.json.encode(part))


def cuts(surface: Drawing) -> dict[str, tuple[int, int]]:
    """Field → shown, total."""
    return {cut.field: (cut.shown, cut.total) for cut in surface.truncated}


# ---- whatever the schema allows --------------------------------------------------------------------------------------


def of_schema(kind: Any, depth: int = 3) -> st.SearchStrategy[Any]:
    """JSON by the wire's own types, every string hostile, every value now and then of another type."""
    right = _of(kind, depth)
    return st.integers(0, 9).flatmap(lambda dice: _RUBBISH if dice == 9 else right)


def texts(part: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a struct, with the names of the fields that lead to it."""
    if isinstance(part, str):
        yield path, part
    elif isinstance(part, tuple):
        for item in part:
            yield from texts(item, path)
    elif isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            inner = f"{path}.{part.type}.{name}" if isinstance(part, Block) else f"{path}.{name}"
            yield from texts(getattr(part, name), inner)


_RUBBISH = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.just({}), st.just([]), st.sampled_from(HOSTILE))
_TEXT = st.one_of(st.sampled_from(HOSTILE), st.sampled_from(LINKS), st.text(max_size=20))


def _of(kind: Any, depth: int) -> st.SearchStrategy[Any]:
    origin = get_origin(kind)
    if hasattr(kind, "__metadata__"):
        return _of(kind.__origin__, depth)
    if origin in (Union, UnionType):
        return st.one_of(*(_of(each, depth) for each in get_args(kind) if each is not type(None)))
    if origin is Literal:
        return st.one_of(st.sampled_from(get_args(kind)), _TEXT)
    if origin is tuple:
        return st.lists(of_schema(get_args(kind)[0], depth - 1), max_size=3) if depth > 0 else st.just([])
    if kind is str:
        return _TEXT
    if kind is float:
        return st.floats(allow_nan=False)
    if kind in (int, bool):
        return st.integers() if kind is int else st.booleans()
    return _object(kind, depth)


def _object(kind: type[msgspec.Struct], depth: int) -> st.SearchStrategy[Mapping[str, Any]]:
    hints = get_type_hints(kind, include_extras=True)
    fields = {
        camel: of_schema(hints[name], depth) for name, camel in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
    }
    if kind is Block:
        fields["type"] = st.one_of(st.sampled_from(BLOCK_TYPES), _TEXT)
    if "link" in fields:
        fields["link"] = st.sampled_from(LINKS)
    return st.fixed_dictionaries({}, optional=fields)
