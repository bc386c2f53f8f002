"""Pages for man(1) in the macros of man(7): lines of text in, lines of roff out. Pure.

The same input gives the same bytes on every machine: a page's date is that of the release, not of the day it was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mirrord import __version__

DATE: Final = "2026-12-01"
"""Of the release; it changes with the version."""

COLUMNS: Final = 78
"""Longer lines of input are bad style, says mandoc, which counts them as they are written."""

_BEGIN: Final = (".SH", ".SS", ".TP", ".IP", ".PP")
"""Requests that begin a paragraph."""

_SENTENCE: Final = re.compile(r"(?<=[.?!]) +(?=[A-Z`(*])")
"""Each begins a line: how it is set off is the formatter's."""

_MARKS: Final = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\([^)\s]*\)")
"""Of markdown: code, bold, and a link, of which a page on paper has the words."""

_BOLD, _PLAIN = "\x01", "\x02"
"""Changes of font while lines are wrapped, and what roff calls them."""


def text(lines: Iterable[str]) -> str:
    """The page of these lines. A paragraph that a heading or another list begins as well is not begun twice."""
    kept: list[str] = []
    for line in lines:
        if line == ".PP" and kept[-1].startswith(_BEGIN):
            continue
        if line.startswith(_BEGIN) and kept and kept[-1] == ".PP":
            kept.pop()
        kept.append(line)
    return "\n".join(kept) + "\n"


def escaped(plain: str) -> str:
    """Text that roff prints as it is."""
    return _at_line_begin(_escaped(plain))


def header(name: str, section: int, title: str) -> str:
    """The first line of a page."""
    return f'.TH {escaped(name.upper())} {section} "{DATE}" "mirrord {__version__}" "{title}"'


def name(page: str, summary: str) -> Iterator[str]:
    """The section by which a page is found."""
    yield from (".SH NAME", *_filled(f"{_escaped(page)} \\- {_escaped(summary)}"))


def prose(paragraph: str) -> Iterator[str]:
    """A paragraph: each sentence begins a line. Code and what is bold is set in bold, of a link the words are kept."""
    for sentence in _SENTENCE.split(" ".join(paragraph.split())):
        marked = _MARKS.sub(lambda mark: mark[3] or f"{_BOLD}{mark[1] or mark[2]}{_PLAIN}", sentence)
        yield from _filled(_escaped(marked).replace(_BOLD, "\\fB").replace(_PLAIN, "\\fR"))


def paragraphs(several: str) -> Iterator[str]:
    """Several of them, with an empty line between."""
    for number, paragraph in enumerate(several.split("\n\n")):
        if number:
            yield ".PP"
        yield from prose(paragraph)


def term(word: str, *texts: str) -> Iterator[str]:
    """An entry of a list: a term in bold and what it means."""
    yield from (".TP", f"\\fB{_escaped(word)}\\fR")
    for number, words in enumerate(words for words in texts if words):
        if number:
            yield ".br"
        yield from prose(words)


def literal(lines: Iterable[str]) -> Iterator[str]:
    """Lines that stay as they are."""
    yield from (".PP", ".nf", ".RS 4")
    yield from (escaped(line) or "\\&" for line in lines)
    yield from (".RE", ".fi")


def see_also(*pages: tuple[str, int]) -> Iterator[str]:
    """The last section: other pages."""
    yield ".SH SEE ALSO"
    yield from (f".BR {_escaped(page)} ({section})" + "," * (number < len(pages)) for number, (page, section) in enumerate(pages, 1))


def _filled(escaped_text: str) -> Iterator[str]:
    """Escaped text in lines that are short enough where its words are."""
    line = ""
    for word in escaped_text.split(" "):
        if line and len(line) + 1 + len(word) > COLUMNS:
            yield _at_line_begin(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield _at_line_begin(line)


def _escaped(plain: str) -> str:
    safe = plain.replace("\\", "\\e").replace("-", "\\-")
    return "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in safe)


def _at_line_begin(line: str) -> str:
    """There a dot or a quote would make a request of it."""
    return f"\\&{line}" if line.startswith((".", "'")) else line
