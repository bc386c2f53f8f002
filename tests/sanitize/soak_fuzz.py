"""Fuzzing that is guided by coverage: atheris changes inputs so that they reach code that no input has reached before.

    python -m tests.sanitize.soak_fuzz TARGET [--seconds N]

It begins with the fixtures and keeps what it learns in .cache/fuzz/TARGET. An input that makes a target fail is written to
.cache/fuzz/TARGET-failed, and the exit status is not 0. atheris is in requirements/fuzz.txt: `make soak` installs it where there is a
build of it (Linux on x86-64).
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

atheris: Any = importlib.import_module("atheris")

# It counts branches in what is imported here.
with atheris.instrument_imports(include=["sanitize", "pyte", "wcwidth"]):
    from sanitize.counters import Counters
    from sanitize.describe import describe
    from sanitize.display import label, text
    from sanitize.links import names_other_host, safe_link
    from sanitize.spans import Line
    from sanitize.terminal import Terminal
    from tests.sanitize.invariants import check_line, check_screen, forbidden
    from tests.sanitize.rendering import PENS, data, fixture, lines, texts

FOLDER: Final = Path(__file__).parents[2] / ".cache" / "fuzz"
LONGEST: Final = 4096
"""Bytes of one input: the limits of a whole line and of a text have tests of their own."""


def fuzz_screen(raw: bytes) -> None:
    """The first two bytes are the size of the screen, the third says where the rest is cut."""
    size, rest = raw[:3].ljust(3, b"\0"), raw[3:]
    columns, rows, cut = size[0] % 40 + 1, size[1] % 12 + 1, size[2]
    shown = _screen([rest], columns, rows)
    check_screen(shown, columns, rows)
    assert _screen([rest[:cut], rest[cut:]], columns, rows) == shown


def _screen(pieces: Sequence[bytes], columns: int, rows: int) -> list[Line]:
    terminal = Terminal(columns, rows, PENS, Counters())
    for piece in pieces:
        terminal.feed(piece)
        terminal.lines()
    return terminal.lines()


def fuzz_lines(raw: bytes) -> None:
    """Lines that a component rendered, and what is said of them."""
    shown = lines([raw.decode(errors="surrogateescape")], 40)
    for line in shown:
        check_line(line)
        assert not forbidden(describe(line) or "")
    assert texts(lines(texts(shown), 40)) == texts(shown)


def fuzz_plain(raw: bytes) -> None:
    """Labels and texts, whole and cut."""
    dirty = raw.decode(errors="surrogateescape")
    for limit in (1000, 5):
        clean = label(dirty, limit).text
        assert not forbidden(clean)
        assert label(clean, limit).text == clean
        clean = text(dirty, 20 * limit).text
        assert not forbidden(clean, text=True)
        assert text(clean, 20 * limit).text == clean


def fuzz_links(raw: bytes) -> None:
    """A target, and after LF the text that leads there."""
    uri, _, words = raw.decode(errors="surrogateescape").partition("\n")
    link = safe_link(uri)
    assert link in (None, uri)
    if link is not None:
        assert link.isascii()
        assert link.isprintable()
        assert not set(" \"'<>\\^`{|}") & set(link)
        assert link.lower().startswith(("https://", "http://", "mailto:", "oppi://session/"))
        names_other_host(words, link)


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "screen": fuzz_screen,
    "lines": fuzz_lines,
    "plain": fuzz_plain,
    "links": fuzz_links,
}


def seeds(target: str) -> list[bytes]:
    """Inputs to begin with."""
    inputs = [data(case)[:LONGEST] for name in ("terminal.jsonl", "hostile.jsonl") for case in fixture(name)]
    if target == "screen":
        return [bytes((39, 4, 7)) + raw for raw in inputs]
    if target == "links":
        links = [link.partition(b";")[2] for raw in inputs for link in raw.split(b"\x1b]8;")[1:]]
        return [link.replace(b"\x07", b"\n").replace(b"\x1b\\", b"\n") for link in links]
    return inputs


def main(arguments: Sequence[str]) -> None:
    """Run a target. It ends the process."""
    parser = argparse.ArgumentParser(prog="python -m tests.sanitize.soak_fuzz")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=1200)
    given = parser.parse_args(arguments)
    corpus, failed = FOLDER / given.target, FOLDER / f"{given.target}-failed"
    for folder in (corpus, failed):
        folder.mkdir(parents=True, exist_ok=True)
    for raw in seeds(given.target):
        (corpus / hashlib.sha256(raw).hexdigest()).write_bytes(raw)
    options = [f"-max_total_time={given.seconds}", f"-max_len={LONGEST}", "-timeout=10", f"-artifact_prefix={failed}/"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], TARGETS[given.target])
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
