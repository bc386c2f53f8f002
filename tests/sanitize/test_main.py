"""Promise: `python -m sanitize` writes one JSON value a line, in order, starts at once, holds little in memory, and fails in words."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from sanitize.__main__ import run
from sanitize.limits import BATCH_BYTES, COLUMNS, LINE_CHARACTERS, ROWS

COMMAND = (sys.executable, "-m", "sanitize")
NOTHING = {"sequences": 0, "links": 0, "truncated": 0, "emulated": 0}


def answers(arguments: list[str], data: bytes, status: int = 0) -> list[Any]:
    """The JSON values that the command writes."""
    sink = io.BytesIO()
    assert run(arguments, io.BytesIO(data), sink) == status
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def batch(*jobs: dict[str, object] | str | bytes, status: int = 0) -> list[Any]:
    words = [job if isinstance(job, bytes) else (job if isinstance(job, str) else json.dumps(job)).encode() for job in jobs]
    return answers(["--batch"], b"\n".join(words), status)


def span(text: str, role: str = "primary", **more: object) -> dict[str, object]:
    return {"text": text, "role": role, **more}


def test_a_screen_is_the_default_and_has_80_columns_and_24_rows() -> None:
    assert answers([], b"\x1b[31mred\x1b[0m\r\n\r\n\x1b[1mb") == [[span("red", "danger")], [], [span("b", traits=["bold"])]]
    assert answers([], b"x" * 81) == [[span("x" * 80)], [span("x")]]
    assert answers([], b"\r\n" * 30 + b"x") == [[]] * 23 + [[span("x")]]


def test_the_screen_has_the_size_that_is_asked_for() -> None:
    assert answers(["--cols", "3", "--rows", "2"], b"abcdefgh") == [[span("def")], [span("gh")]]
    assert answers(["--cols", f"{COLUMNS}"], b"x" * (COLUMNS + 1))[1] == [span("x")]
    assert len(answers(["--rows", f"{ROWS}"], b"\n" * 500 + b"x")) == ROWS


def test_lines_are_independent_and_each_has_an_answer() -> None:
    assert answers(["--lines"], b"\x1b[1mb\r\n\nx\x1b]8;;https://a.example/\x07y\nz") == [
        [span("b", traits=["bold"])],
        [],
        [span("x"), span("y", link="https://a.example/")],
        [span("z")],
    ]


def test_a_line_without_end_is_cut_and_the_next_one_is_not_lost() -> None:
    long, after = answers(["--lines"], "é".encode() * 10 * LINE_CHARACTERS + b"\nafter")
    assert "".join(part["text"] for part in long) == "é" * LINE_CHARACTERS + "…"
    assert after == [span("after")]


def test_plain_text_is_one_span_a_line() -> None:
    dirty = b"a\tb\x1b[2J \x1b]8;;https://a.example/\x07c\x1b]8;;\x07\r\n\r\nd\n"
    assert answers(["--plain", "text"], dirty)[1:] == [[], [span("d")]]
    assert answers(["--plain", "label"], dirty) == [[span("a b c d")]]
    assert answers(["--plain", "label"], b"\x1b[2J") == answers(["--plain", "text"], b"") == []


def test_colours_mean_what_the_palette_says(tmp_path: Path) -> None:
    file = tmp_path / "palette.json"
    file.write_text('{"error": "#010203"}')
    coloured = b"\x1b[38;2;1;2;3mx"
    assert answers(["--palette", str(file)], coloured) == [[span("x", "danger")]]
    assert answers([], coloured) != [[span("x", "danger")]]


def test_a_batch_is_answered_in_order() -> None:
    assert batch(
        {"input": "\x1b[1mb", "mode": "screen", "cols": 10, "rows": 2},
        {"input_base64": base64.b64encode(b"a\xff\r\nb\x07c").decode(), "mode": "lines"},
        {"input": "a\n\n b", "mode": "text"},
        {"input": "a\n\n b", "mode": "label"},
        {"input": "abc", "cols": 2},
        {"input": "", "mode": "lines"},
    ) == [
        {"lines": [[span("b", traits=["bold"])]], "dropped": NOTHING},
        {"lines": [[span("a\ufffd")], [span("bc")]], "dropped": {**NOTHING, "emulated": 1}},
        {"lines": [[span("a")], [], [span(" b")]], "dropped": NOTHING},
        {"lines": [[span("a b")]], "dropped": NOTHING},
        {"lines": [[span("ab")], [span("c")]], "dropped": NOTHING},
        {"lines": [[]], "dropped": NOTHING},
    ]


def test_a_job_says_what_was_dropped_on_its_way() -> None:
    hostile, long, clean = batch(
        {"input": "\x1b]8;;javascript:x\x07a\x1b]8;;\x07\x1b]52;c;AAAA\x07", "mode": "lines"},
        {"input": "x" * 300, "mode": "label"},
        {"input": "x", "mode": "label"},
    )
    assert hostile["dropped"] == {"sequences": 1, "links": 1, "truncated": 0, "emulated": 1}
    assert long["dropped"]["truncated"] == 1
    assert clean["dropped"] == NOTHING


def test_lone_surrogates_are_one_replacement_character_in_every_mode() -> None:
    jobs: list[dict[str, object]] = [{"input": "a\ud800", "mode": mode} for mode in ("lines", "label", "text")]
    assert [answer["lines"] for answer in batch(*jobs)] == [[[span("a\ufffd")]]] * 3
    assert batch('{"input": "\\ud83d\\ude00", "mode": "lines"}')[0]["lines"] == [[span("😀")]]


@pytest.mark.parametrize(
    "bad",
    [
        *("", "x", "[]", "1", '"a"', "{", "{}", '{"mode": "lines"}', '{"input": 1}', '{"input": "a", "mode": "html"}'),
        *('{"input": "a", "input_base64": "YQ=="}', '{"input_base64": "?"}', '{"input": "a", "cols": 0}', '{"input": "a", "rows": 9999}'),
        *('{"input": "a", "cols": 1.5}', '{"input": "a", "cols": "10"}', '{"input": "a", "cols": ' + "9" * 5000 + "}"),
        *("[" * 100_000, '{"input": "' + "x" * BATCH_BYTES + '"}', b"\xff", b'{"input": "\xff"}'),
    ],
    ids=lambda bad: repr(bad[:40]),
)
def test_a_bad_line_of_a_batch_is_answered_and_the_others_are_done(bad: str | bytes) -> None:
    answered, refused, last = batch({"input": "a", "mode": "lines"}, bad, {"input": "b", "mode": "lines"}, status=1)
    assert (answered["lines"], last["lines"]) == ([[span("a")]], [[span("b")]])
    assert list(refused) == ["error"]
    assert refused["error"]


@pytest.mark.parametrize(
    "arguments",
    [
        *(["--cols", "0"], ["--cols", "301"], ["--rows", "201"], ["--rows", "-1"], ["--cols", "²"], ["--cols", "9" * 5000]),
        *(["--plain", "html"], ["--lines", "--batch"], ["--lines", "--plain", "text"], ["--palette", "/nowhere/at/all"], ["file"]),
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_a_wrong_command_line_ends_in_one_sentence(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(arguments, io.BytesIO(), io.BytesIO())
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("python -m sanitize: error: ")


@pytest.mark.parametrize("content", [b"x", b"[]", b'{"error": "red"}', b"\xff"])
def test_a_file_that_is_no_palette_is_refused(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "palette.json"
    file.write_bytes(content)
    with pytest.raises(SystemExit) as ended:
        run(["--palette", str(file)], io.BytesIO(), io.BytesIO())
    assert ended.value.code == 2
    assert str(file) in capsys.readouterr().err


class Endless(io.RawIOBase):
    """So many bytes of one kind, made while they are read."""

    def __init__(self, byte: bytes, size: int) -> None:
        self._byte = byte
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = min(len(buffer), self._left)
        buffer[:count] = self._byte * count
        self._left -= count
        return count


@pytest.mark.parametrize(
    ("arguments", "byte", "mebibytes", "peak"),
    [
        ([], b"x", 1, 0.5),
        (["--lines"], b"x", 8, 2),
        (["--plain", "label"], b"x", 16, 24),
        (["--plain", "text"], b"\x1b", 16, 24),
        (["--batch"], b"x", 40, 64),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else repr(value),
)
def test_memory_is_bounded_however_much_arrives(arguments: list[str], byte: bytes, mebibytes: int, peak: float) -> None:
    source = io.BufferedReader(Endless(byte, mebibytes << 20))
    tracemalloc.start()
    try:
        run(arguments, source, io.BytesIO())
        assert tracemalloc.get_traced_memory()[1] < peak * (1 << 20)
    finally:
        tracemalloc.stop()


def test_a_start_imports_nothing_that_takes_long() -> None:
    listed = subprocess.run(
        [sys.executable, "-c", "import sanitize.__main__, sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    assert "pyte" in listed.stdout.split()
    assert not {"asyncio", "click", "ssl", "bridge", "mirrord"} & set(listed.stdout.split())


def test_help_shows_every_option_with_examples() -> None:
    helped = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, check=True).stdout
    for word in ("--cols", "--rows", "--lines", "--plain", "--palette", "--batch", "examples:", "input_base64"):
        assert word in helped


def test_the_command_reads_standard_input_and_writes_utf8_whatever_the_locale() -> None:
    done = subprocess.run([*COMMAND, "--lines"], input="⚠️ é\n".encode(), capture_output=True, check=True, env={"LC_ALL": "C"})
    assert json.loads(done.stdout) == [span("⚠️ é")]
    assert not done.stderr


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    with subprocess.Popen([*COMMAND, "--lines"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"first\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == [span("first")]
        process.stdout.close()
        process.stdin.write(b"second\n")
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141
