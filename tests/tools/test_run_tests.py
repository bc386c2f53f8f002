"""Promise: a test that fails only among others is named and does not fail the run; one that fails again does, and so do many."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.run_tests import AT_MOST, ROOT

ONCE = "def test_once():\n    from pathlib import Path\n    if not Path('tried').exists(): Path('tried').touch(); assert False\n"
NEVER = "def test_never():\n    assert False\n"
GOOD = "def test_good():\n    pass\n"
RUN = f"""
import sys; from pathlib import Path; sys.path.insert(0, {str(ROOT)!r})
from tools.run_tests import run; sys.exit(run(sys.argv[1:], Path.cwd()))"""


def tried(where: Path, source: str, *arguments: str) -> tuple[int, str]:
    """The exit code and the output of a run of these tests."""
    (where / "pytest.ini").write_text("[pytest]\n")
    (where / "test_it.py").write_text(source)
    command = [sys.executable, "-I", "-c", RUN, "-q", "-p", "no:cacheprovider", "test_it.py", *arguments]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def test_what_passes_is_not_run_again(tmp_path: Path) -> None:
    code, output = tried(tmp_path, GOOD)
    assert (code, "once more" in output, "UNSTABLE" in output) == (0, False, False)


def test_what_passes_alone_is_named(tmp_path: Path) -> None:
    code, output = tried(tmp_path, GOOD + ONCE)
    assert code == 0
    assert output.endswith("UNSTABLE, failed above and passed alone:\n  test_it.py::test_once\n")


def test_it_is_named_when_workers_ran_it(tmp_path: Path) -> None:
    code, output = tried(tmp_path, GOOD + ONCE, "-n", "2")
    assert code == 0
    assert output.endswith("\n  test_it.py::test_once\n")


def test_what_fails_again_fails_the_run(tmp_path: Path) -> None:
    code, output = tried(tmp_path, GOOD + ONCE + NEVER)
    assert (code, "once more" in output, "UNSTABLE" in output) == (1, True, False)


def test_many_that_fail_are_no_accident(tmp_path: Path) -> None:
    code, output = tried(tmp_path, ONCE + "".join(NEVER.replace("never", f"never_{n}") for n in range(AT_MOST)))
    assert (code, "once more" in output) == (1, False)


def test_what_cannot_be_collected_fails_the_run(tmp_path: Path) -> None:
    code, output = tried(tmp_path, "import nothing_of_this_name\n")
    assert (code, "once more" in output) == (2, False)
