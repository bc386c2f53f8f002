"""Promise: man/mirrord.1 says what the command line's help says, and reads without a complaint."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from mirrord.cli import VERBS
from tools import man


def test_the_checked_in_page_is_current() -> None:
    assert man.PAGE.read_text() == man.page(), "run: python tools/man.py"


def test_a_page_that_is_not_current_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(man, "PAGE", tmp_path / "mirrord.1")
    assert man.main(["--check"]) == 1
    assert "run: python tools/man.py" in capsys.readouterr().err
    assert man.main([]) == 0
    assert man.main(["--check"]) == 0


def test_every_verb_is_in_it() -> None:
    for verb in VERBS:
        assert f".SS mirrord {verb} " in man.page()


@pytest.mark.parametrize(("text", "roff"), [("a-b", "a\\-b"), ("a\\b", "a\\eb"), (".TH", "\\&.TH"), ("'x", "\\&'x"), ("-.", "\\-.")])
def test_text_is_no_roff(text: str, roff: str) -> None:
    assert man.escaped(text) == roff


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff reads manual pages")
def test_groff_has_no_complaint() -> None:
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", str(man.PAGE)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
