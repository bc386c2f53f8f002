"""Promise: a file answers an editor with exactly its text, or with a sentence that says why it cannot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bridge.limits import CONTENT_BYTES
from mirrord.attach.answer_file import read_content
from mirrord.attach.ask import Explain


@pytest.mark.parametrize("content", ["", "one\r\ntwo\rthree\n", "\ufefftab\t\x1b[31m\u202e\x00🌷", "x" * CONTENT_BYTES])
async def test_a_text_is_read_byte_for_byte(tmp_path: Path, content: str) -> None:
    file = tmp_path / "plan.md"
    file.write_bytes(content.encode())
    assert await read_content(str(file)) == content


async def test_the_home_folder_and_the_working_folder_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plan.md").write_text("text")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert await read_content("~/plan.md") == "text"
    assert await read_content("plan.md") == "text"


async def test_what_cannot_be_sent_is_explained(tmp_path: Path) -> None:
    large, binary, pipe = tmp_path / "large", tmp_path / "binary", tmp_path / "pipe"
    large.write_bytes(b"x" * (CONTENT_BYTES + 1))
    binary.write_bytes(b"\xff\xfe")
    os.mkfifo(pipe)
    for path, words in (
        (large, f"larger than {CONTENT_BYTES} bytes"),
        (binary, "no UTF-8 text"),
        (pipe, "is no file"),
        (tmp_path, "is no file"),
        (tmp_path / "missing", "cannot be read (No such file or directory)"),
        ("a\0b", "cannot be read"),
        ("~nobody-of-this-name/x", "cannot be read"),
    ):
        explained = await read_content(str(path))
        assert isinstance(explained, Explain)
        assert words in explained.text
        assert explained.text.endswith("Nothing was sent.")
