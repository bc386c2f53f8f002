"""The markdown of our own pages as roff: headings, paragraphs, lists, tables and fences, and nothing else that markdown has. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from tools.manual import roff

_CELLS: Final = re.compile(r"(?<!\\)\|")


def sections(text: str) -> Iterator[tuple[int, str, str]]:
    """Level, heading, and the text up to the next heading, of each heading. A `#` inside a fence is none."""
    level, heading, body, fenced = 0, "", [], False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        found = None if fenced else re.match(r"(#+) (.*)", line)
        if found is None:
            body.append(line)
            continue
        if level:
            yield level, heading, "\n".join(body).strip("\n")
        level, heading, body = len(found[1]), found[2], []
    yield level, heading, "\n".join(body).strip("\n")


def body(text: str) -> Iterator[str]:
    """The roff of what stands below a heading. Of examples in JSON the shortest of each fence is shown."""
    for number, block in enumerate(_blocks(text)):
        first = block[0]
        if first.startswith("```"):
            yield from roff.literal(_shortest(block[1:-1]) if first == "```json" else block[1:-1])
        elif first.startswith("|"):
            yield from _table(block)
        elif first.startswith("* "):
            yield from _list(block)
        else:
            if number:
                yield ".PP"
            yield from roff.prose(" ".join(block))


def _blocks(text: str) -> Iterator[list[str]]:
    """Lines that belong together: those of a fence, of a table, or up to an empty line."""
    block: list[str] = []
    for line in text.splitlines():
        fence = bool(block) and block[0].startswith("```")
        if fence:
            block.append(line)
            if line == "```":
                yield block
                block = []
            continue
        if block and (not line.strip() or line.startswith("```") or _kind(line) != _kind(block[-1])):
            yield block
            block = []
        if line.strip():
            block.append(line)
    if block:
        yield block


def _kind(line: str) -> str:
    """A table's row, or anything else; the lines of a list's entry stay with it."""
    return "row" if line.startswith("|") else "text"


def _list(lines: list[str]) -> Iterator[str]:
    entries = [""]
    for line in lines:
        if line.startswith("* "):
            entries.append(line.removeprefix("* "))
        else:
            entries[-1] += f" {line.strip()}"
    for entry in filter(None, entries):
        yield ".IP \\(bu 2"
        yield from roff.prose(entry)


def _table(lines: list[str]) -> Iterator[str]:
    """A row is an entry: its first cell is the term; the others say of which column they are where there are several."""
    head, _, *rows = (_cells(line) for line in lines)
    for row in rows:
        name = row[0].replace("`", "").replace("**", "")
        texts = [text if len(head) == 2 or not title else f"{title}: {text}" for title, text in zip(head[1:], row[1:], strict=True) if text]
        yield from roff.term(name or "-", *texts)


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELLS.split(line.strip())[1:-1]]


def _shortest(lines: list[str]) -> list[str]:
    """The shortest of JSON examples that stand a line each; of several kinds of message, of each kind. Long ones are opened."""
    kinds = groupby(lines, key=lambda line: json.loads(line).get("type"))
    chosen = [min(examples, key=len) for _, examples in kinds]
    return [part for line in chosen for part in _opened(line)]


def _opened(line: str) -> list[str]:
    return [line] if len(line) <= roff.COLUMNS else json.dumps(json.loads(line), indent=2, ensure_ascii=False).splitlines()
