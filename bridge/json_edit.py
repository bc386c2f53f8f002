"""Changes to one list in a JSON text that leave every other character where it was.

Python's `json` decides whether the text is valid and where each value ends. What is added imitates the text around it:
line ends, indentation, spaces after commas and colons.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

_INDENT: Final = "  "
"""For an object that shows none of its own: what Pi writes."""

_decoder: Final = json.JSONDecoder()


class NotEditable(Exception):
    """The text is not JSON that can be changed safely; `str()` says why and where."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A list item, or an object member with its key: text[start:end]; its value begins at `value`."""

    key: str | None
    start: int
    value: int
    end: int
    content: object


@dataclass(frozen=True, slots=True)
class _Container:
    """A list or object: text[start] is its opening bracket and text[end] its closing one."""

    start: int
    parts: tuple[_Part, ...]
    end: int


def items(text: str, name: str) -> list[object]:
    """The items of the list `name` in the object `text`; none when it is absent. NotEditable if it is anything else."""
    found = _list(text, _member(_root(text), name))
    return [] if found is None else [part.content for part in found.parts]


def add_item(text: str, name: str, item: str) -> str:
    """`text` with `item` at the end of the list `name`, which is made when it is absent. Raises NotEditable."""
    root = _root(text)
    member = _member(root, name)
    found = _list(text, member)
    quoted = json.dumps(item, ensure_ascii=False)
    if member is None or found is None:
        return _add_member(text, root, name, quoted)
    if found.parts:
        return _append(text, found, quoted, _gap(text, member))
    return text[: found.start] + _list_of(quoted, _indent(text, member.start), text) + text[member.end :]


def remove_items(text: str, name: str, unwanted: Callable[[object], bool]) -> str:
    """`text` without the items of the list `name` that are `unwanted`. A list that becomes empty is removed itself."""
    while True:
        root = _root(text)
        member = _member(root, name)
        found = _list(text, member)
        doomed = [part for part in found.parts if unwanted(part.content)] if found else []
        if member is None or found is None or not doomed:
            return text
        if len(doomed) == len(found.parts):
            return _remove(text, root, member)
        text = _remove(text, found, doomed[0])


def _root(text: str) -> _Container:
    def refuse(constant: str) -> NoReturn:
        raise NotEditable(f"{constant} is not JSON")

    try:
        root = json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise NotEditable(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise NotEditable("it is nested too deep or has a number that is too long") from error
    if not isinstance(root, dict):
        raise NotEditable("it is not an object")
    return _scan(text, text.index("{"))


def _member(root: _Container, name: str) -> _Part | None:
    found = [part for part in root.parts if part.key == name]
    if len(found) > 1:
        raise NotEditable(f'"{name}" is there twice')
    if found and not isinstance(found[0].content, list):
        raise NotEditable(f'"{name}" is not a list')
    return found[0] if found else None


def _list(text: str, member: _Part | None) -> _Container | None:
    return None if member is None else _scan(text, member.value)


def _scan(text: str, start: int) -> _Container:
    """The parts of the list or object whose bracket is at `start`, in a text that is valid JSON."""
    parts: list[_Part] = []
    at = _skip(text, start + 1)
    while text[at] not in "]}":
        key, value = None, at
        if text[start] == "{":
            key, end_of_key = _decoder.raw_decode(text, at)
            value = _skip(text, _skip(text, end_of_key) + 1)
        content, end = _decoder.raw_decode(text, value)
        parts.append(_Part(key, at, value, end, content))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return _Container(start, tuple(parts), at)


def _skip(text: str, at: int) -> int:
    """The place of the first character from `at` on that is not blank."""
    while text[at] in " \t\r\n":
        at += 1
    return at


def _add_member(text: str, root: _Container, name: str, quoted: str) -> str:
    if not root.parts:
        line_end = _line_end(text)
        member = f"{json.dumps(name)}: {_list_of(quoted, _INDENT, text)}"
        return text[: root.start + 1] + line_end + _INDENT + member + line_end + text[root.end :]
    first = root.parts[0]
    member = f"{json.dumps(name)}:{_gap(text, first)}{_list_of(quoted, _indent(text, first.start), text)}"
    return _append(text, root, member, _gap(text, first))


def _append(text: str, container: _Container, piece: str, gap: str) -> str:
    """`text` with `piece` after the last part, set off as that one is from the part or bracket before it."""
    last = container.parts[-1]
    if len(container.parts) > 1:
        between = text[container.parts[-2].end : last.start]
    else:
        lead = text[container.start + 1 : last.start]
        between = "," + (lead if "\n" in lead else gap)
    return text[: last.end] + between + piece + text[last.end :]


def _remove(text: str, container: _Container, part: _Part) -> str:
    """`text` without `part` and the comma that set it off."""
    parts, index = container.parts, container.parts.index(part)
    if index > 0:
        return text[: parts[index - 1].end] + text[part.end :]
    if len(parts) > 1:
        return text[: part.start] + text[parts[1].start :]
    return text[: container.start + 1] + text[container.end :]


def _list_of(quoted: str, indent: str | None, text: str) -> str:
    """A list of one item: on lines of their own below a member indented by `indent`, on one line for None."""
    if indent is None:
        return f"[{quoted}]"
    line_end = _line_end(text)
    return f"[{line_end}{indent}{indent or _INDENT}{quoted}{line_end}{indent}]"


def _indent(text: str, at: int) -> str | None:
    """The blanks before `at` when it is the first thing on a line that is not the first one."""
    before = text.rfind("\n", 0, at)
    blanks = text[before + 1 : at]
    return blanks if before >= 0 and not blanks.strip(" \t") else None


def _gap(text: str, member: _Part) -> str:
    """What the text puts after a comma or colon on the same line: a space or nothing."""
    return "" if text[member.value - 1] == ":" else " "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
