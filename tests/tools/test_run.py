"""Promise: `make run` starts the person's Pi, the locked one when there is none, and offers the demo without an account."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mirrord.demo.terminal import Terminal
from tools import run

# Says how it was called, instead of running Pi.
FAKE = "#!/bin/sh\necho \"mirrord $* with $(command -v pi || echo 'no pi')\"\n"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bin").mkdir()
    return {"HOME": str(tmp_path), "PATH": f"{tmp_path / 'bin'}:/bin", "TERM": "xterm-256color"}


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def make_run(tmp_path: Path) -> list[str]:
    """`tools/run.py` with a mirrord that only speaks, and a locked Pi of its own."""
    mirrord = program(tmp_path / "mirrord", FAKE)
    program(tmp_path / "locked" / "pi")
    lines = [
        "import sys; from pathlib import Path",
        f"sys.path.insert(0, {str(run.ROOT)!r}); from tools import run",
        f"run.MIRRORD = Path({str(mirrord)!r}); run.LOCKED_PI = Path({str(tmp_path / 'locked')!r}); run.main()",
    ]
    return [sys.executable, "-Ic", "\n".join(lines)]


def test_without_an_account_enter_starts_the_demo_with_the_locked_pi(make_run: list[str], env: dict[str, str], tmp_path: Path) -> None:
    program(tmp_path / "bin" / "pi")
    with Terminal(make_run, env=env, cwd=tmp_path, columns=200) as terminal:
        terminal.wait_for("Pi finds no model account here.")
        terminal.keys("enter")
        terminal.wait_for(f"mirrord demo with {tmp_path}/locked/pi")
        assert terminal.wait_exit() == 0


def test_without_an_account_p_starts_pi(make_run: list[str], env: dict[str, str], tmp_path: Path) -> None:
    with Terminal(make_run, env=env, cwd=tmp_path, columns=200) as terminal:
        terminal.wait_for("Pi finds no model account here.")
        terminal.line("p")
        terminal.wait_for(f"mirrord pi with {tmp_path}/locked/pi")


def test_with_an_account_the_persons_own_pi_is_taken_unasked(make_run: list[str], env: dict[str, str], tmp_path: Path) -> None:
    program(tmp_path / "bin" / "pi")
    with Terminal(make_run, env={**env, "SOME_API_KEY": "x"}, cwd=tmp_path, columns=200) as terminal:
        terminal.wait_for(f"mirrord pi with {tmp_path}/bin/pi")


def test_ctrl_d_at_the_question_starts_nothing(make_run: list[str], env: dict[str, str], tmp_path: Path) -> None:
    with Terminal(make_run, env=env, cwd=tmp_path, columns=200) as terminal:
        terminal.wait_for("Pi finds no model account here.")
        terminal.keys("ctrl+d")
        assert terminal.wait_exit() == 130
        assert "mirrord" not in terminal.screen_text()


@pytest.mark.parametrize(
    ("file", "text", "account"),
    [
        ("auth.json", '{"anthropic": {}}', True),
        ("models.json", '{"providers": {}}', True),
        ("auth.json", "{}", False),
        ("auth.json", "not json", False),
        ("settings.json", '{"theme": "dark"}', False),
    ],
)
def test_an_account_is_what_pi_would_find(env: dict[str, str], tmp_path: Path, file: str, text: str, account: bool) -> None:
    for agent, named in ((tmp_path / ".pi" / "agent", {}), (tmp_path / "own", {"PI_CODING_AGENT_DIR": str(tmp_path / "own")})):
        agent.mkdir(parents=True)
        (agent / file).write_text(text)
        assert run.has_account({**env, **named}) is account
        (agent / file).unlink()
