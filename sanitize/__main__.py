"""The command line: raw bytes on standard input, one JSON array of spans for each line of text on standard output.

Memory is bounded by the limits of limits.py however much arrives. Exit status: 0; 1 when a line of a batch was wrong; 2 for a wrong
command line; 141 when nobody reads the output any more.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, Literal, NoReturn

import msgspec

from sanitize.counters import Counters
from sanitize.display import label, text
from sanitize.limits import BATCH_BYTES, COLUMNS, FEED_CHARACTERS, LINE_CHARACTERS, PLAIN_CHARACTERS, ROWS
from sanitize.lines import LineRenderer
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.spans import Line, Span
from sanitize.terminal import Terminal

Mode = Literal["screen", "lines", "label", "text"]

_DEFAULT_COLUMNS: Final = 80
_DEFAULT_ROWS: Final = 24

_BROKEN: Final = 1
_INTERRUPTED: Final = 130
"""128 + SIGINT, as shells report it."""
_NO_READER: Final = 141
"""128 + SIGPIPE: whoever read our output went away."""

_EXAMPLES: Final = """\
examples:
  ls --color=always | python -m sanitize --lines
  python -m sanitize --cols 100 --rows 30 < fixtures/sanitize/recordings/widget-pi1.6.0-regular-100x30.bin
  printf '\\033[31mred\\033[0m \\033]8;;https://a.example/\\007link\\033]8;;\\007' | python -m sanitize
  printf 'a\\tb\\033[2J' | python -m sanitize --plain label
  echo '{"input": "\\u001b[1mbold", "mode": "lines"}' | python -m sanitize --batch
"""


class Job(msgspec.Struct, frozen=True):
    """One line of a batch. One of the inputs is given; other fields are read over."""

    input: str | None = None
    input_base64: bytes | None = None
    mode: Mode = "screen"
    cols: int | None = None
    rows: int | None = None


class Done(msgspec.Struct, frozen=True):
    """What became of it: spans for each line of text, and what was dropped on the way."""

    lines: list[tuple[Span, ...]]
    dropped: dict[str, int]


class Refused(msgspec.Struct, frozen=True):
    """A line that is no job."""

    error: str


def run(arguments: Sequence[str], source: BinaryIO, sink: BinaryIO) -> int:
    """The command with these arguments; gives the exit status. SystemExit for a wrong command line and for --help."""
    given = _parser().parse_args(arguments)
    pens = Pens(_palette(given.palette))
    if given.batch:
        return _batch(source, sink, pens)
    counters = Counters()
    if given.lines:
        renderer = LineRenderer(pens, counters, given.cols or COLUMNS)
        for raw in _read(source, 4 * LINE_CHARACTERS):  # a line that is too long is so with characters of any size
            _write(sink, renderer.render([raw.removesuffix(b"\r").decode(errors="replace")]))
    elif given.plain is not None:
        _write(sink, _plain(given.plain, source.read(4 * PLAIN_CHARACTERS + 1).decode(errors="replace"), counters))
    else:
        terminal = Terminal(given.cols or _DEFAULT_COLUMNS, given.rows or _DEFAULT_ROWS, pens, counters)
        while data := source.read(FEED_CHARACTERS):
            terminal.feed(data)
        _write(sink, terminal.lines())
    return 0


def main() -> NoReturn:
    """Run on the process's own arguments and streams, and exit."""
    try:
        status = run(sys.argv[1:], sys.stdin.buffer, sys.stdout.buffer)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end, which would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = _NO_READER
    except KeyboardInterrupt:
        status = _INTERRUPTED
    sys.exit(status)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sanitize",
        description="Dirty terminal text in, safe spans out: one JSON array for each line of text.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    size = parser.add_argument_group("the screen")
    size.add_argument("--cols", type=_within(COLUMNS), metavar="N", help=f"its columns, at most {COLUMNS} (80; with --lines {COLUMNS})")
    size.add_argument("--rows", type=_within(ROWS), metavar="N", help=f"its rows, at most {ROWS} (24)")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--lines", action="store_true", help="lines that are independent of each other, as components render them")
    way.add_argument("--plain", choices=["label", "text"], help="plain text: on one line, or on its lines")
    way.add_argument(
        "--batch",
        action="store_true",
        help='JSON lines {input or input_base64, mode: "screen", "lines", "label" or "text", cols, rows}, each answered by '
        'one line {lines, dropped} or {"error"}',
    )
    parser.add_argument("--palette", type=Path, metavar="FILE", help="the colours of Pi's theme and what they mean, as JSON")
    return parser


def _within(largest: int) -> Callable[[str], int]:
    """For argparse: reads a number from 1 to `largest`."""

    def number(word: str) -> int:
        if not (word.isascii() and word.isdigit() and len(word) < 10 and 1 <= int(word) <= largest):
            raise argparse.ArgumentTypeError(f"{word!r} is no number from 1 to {largest}")
        return int(word)

    return number


def _palette(file: Path | None) -> Palette:
    if file is None:
        return Palette()
    try:
        return Palette.read(file.read_text("utf-8"))
    except OSError as error:
        _parser().error(f"{file}: {error.strerror}")
    except ValueError as error:
        _parser().error(f"{file}: {error}")


def _read(source: BinaryIO, limit: int) -> Iterator[bytes]:
    """The lines without LF, of longer ones the first `limit` + 1 bytes."""
    while line := source.readline(limit + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = source.readline(limit + 1)
        yield line.removesuffix(b"\n")


def _batch(source: BinaryIO, sink: BinaryIO, pens: Pens) -> int:
    status = 0
    for line in _read(source, BATCH_BYTES):
        answer: Done | Refused
        try:
            job = _job(line)
        except ValueError as error:
            answer, status = Refused(str(error)), _BROKEN
        else:
            answer = _do(job, pens)
        sink.write(msgspec.json.encode(answer) + b"\n")
        sink.flush()
    return status


def _job(line: bytes) -> Job:
    """ValueError when it is none."""
    if len(line) > BATCH_BYTES:
        raise ValueError(f"a line of a batch has at most {BATCH_BYTES} bytes")
    try:
        # Not by msgspec, which refuses the lone surrogates that a JavaScript program may write.
        job = msgspec.convert(json.loads(line), Job)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if (job.input is None) == (job.input_base64 is None):
        raise ValueError("one of input and input_base64 is needed")
    for name, size, largest in (("cols", job.cols, COLUMNS), ("rows", job.rows, ROWS)):
        if size is not None and not 1 <= size <= largest:
            raise ValueError(f"{name} is a number from 1 to {largest}")
    return job


def _do(job: Job, pens: Pens) -> Done:
    counters = Counters()
    if job.mode == "screen":
        terminal = Terminal(job.cols or _DEFAULT_COLUMNS, job.rows or _DEFAULT_ROWS, pens, counters)
        terminal.feed((job.input_base64 or b"") if job.input is None else job.input.encode(errors="surrogatepass"))
        return Done([line.spans for line in terminal.lines()], counters.as_json())
    raw = (job.input_base64 or b"").decode(errors="replace") if job.input is None else job.input
    if job.mode == "lines":
        lines = LineRenderer(pens, counters, job.cols or COLUMNS).render([raw.removesuffix("\n").removesuffix("\r")])
    else:
        lines = _plain(job.mode, raw, counters)
    return Done([line.spans for line in lines], counters.as_json())


def _plain(mode: Literal["label", "text"], raw: str, counters: Counters) -> list[Line]:
    """The plain text in the shape of lines; no line when there is no text."""
    clean = (label if mode == "label" else text)(raw[:PLAIN_CHARACTERS])
    counters.truncated += clean.truncated or len(raw) > PLAIN_CHARACTERS
    shown = clean.text.removesuffix("\n")
    return [Line((Span(line, "primary"),) if line else ()) for line in shown.split("\n")] if shown else []


def _write(sink: BinaryIO, lines: Sequence[Line]) -> None:
    for line in lines:
        sink.write(msgspec.json.encode(line.spans) + b"\n")
    sink.flush()


if __name__ == "__main__":
    main()
