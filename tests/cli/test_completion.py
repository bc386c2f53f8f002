"""Promise: a shell completes verbs, options, sessions and devices; names that a shell would read as more than a word are not offered."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest
from click.testing import CliRunner

from mirrord.cli import VERBS, cli, completing
from mirrord.cli.completion import SHELLS
from mirrord.client import Connection
from mirrord.demo.terminal import Terminal
from tests.cli.commands import PATIENCE, environment, run
from tests.cli.daemons import daemon


def completed(root: Path, *words: str) -> list[str]:
    """What a shell is offered for the last word, which may be empty."""
    asked = {"_MIRRORD_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = run(root, env=asked)
    assert (done.returncode, done.stderr) == (0, "")
    return [line.partition(",")[2] for line in done.stdout.split()]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_is_told_how_to_ask_us(shell: str) -> None:
    shown = CliRunner().invoke(cli, ["completion", shell], prog_name="mirrord")
    assert shown.exit_code == 0
    assert f"_MIRRORD_COMPLETE={shell}_complete" in shown.output


def test_bash_takes_it(tmp_path: Path) -> None:
    script = run(tmp_path, "completion", "bash").stdout
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\ncomplete -p mirrord"], env=environment(tmp_path), capture_output=True, text=True, check=True
    )
    assert done.stdout == "complete -o nosort -F _mirrord_completion mirrord\n"
    assert done.stderr == ""


def test_verbs_options_and_devices_are_offered_and_nothing_is_said_without_a_daemon(runtime: Path) -> None:
    root = runtime.parent
    assert completed(root, "mirrord", "") == list(VERBS)
    assert completed(root, "mirrord", "un") == [verb for verb in VERBS if verb.startswith("un")]
    assert "--read-only" in completed(root, "mirrord", "attach", "--")
    assert completed(root, "mirrord", "attach", "") == []
    with daemon(root):
        for name in ("phone", "wall board"):
            assert run(root, "pair", "--token", name).returncode == 0
        assert completed(root, "mirrord", "devices", "revoke", "") == ["phone"]
        assert completed(root, "mirrord", "attach", "") == []


def session(session_id: str, name: str | None, state: str = "idle") -> Any:
    return SimpleNamespace(session_id=session_id, name=name, cwd="/home/ada/garden", status=SimpleNamespace(state=state))


def test_sessions_are_offered_by_id_and_by_a_name_that_is_one_plain_word(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [
        session("4711-1", "tulips"),
        session("4711-2", "$(reboot)"),
        session("4711-3", "two words"),
        session("4711-4", None),
        session("4711-5", "gone", "ended"),
    ]

    async def ask(words: completing.Words) -> list[tuple[str, str]]:
        return await words(cast(Connection, SimpleNamespace(welcome=SimpleNamespace(sessions=listed))))

    monkeypatch.setattr(completing, "_ask", ask)
    offered = completing.sessions(None, None, "")  # type: ignore[arg-type] # click's objects are of no use to it
    assert [each.value for each in offered] == ["4711-1", "4711-2", "4711-3", "4711-4", "tulips"]
    assert offered[0].help == "tulips"
    assert [each.value for each in completing.sessions(None, None, "tu")] == ["tulips"]  # type: ignore[arg-type]


def test_a_daemon_that_does_not_answer_keeps_nobody_waiting(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completing, "SECONDS", 0.05)

    async def never(connection: Connection) -> list[tuple[str, str]]:
        await anyio.sleep_forever()
        raise AssertionError

    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime.parent))
    with daemon(runtime.parent):
        assert anyio.run(completing._ask, never) == []


# ---- real shells -----------------------------------------------------------------------------------------------------

OURS_FIRST = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(which(shell) is None, reason=f"NOT PROVEN HERE, completion in {shell}: run `tools/setup.py programs`")


@needs("fish")
def test_fish_completes_verbs_and_devices(runtime: Path) -> None:
    root, env = runtime.parent, environment(runtime.parent, {"PATH": OURS_FIRST})
    functions = root / "config_home" / "fish" / "completions"
    functions.mkdir(parents=True)
    (functions / "mirrord.fish").write_text(run(root, "completion", "fish").stdout)

    def offered(line: str) -> list[str]:
        done = subprocess.run(["fish", "-c", "complete --do-complete $argv[1]", line], env=env, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return [offer.partition("\t")[0] for offer in done.stdout.splitlines()]

    assert sorted(offered("mirrord un")) == sorted(verb for verb in VERBS if verb.startswith("un"))
    with daemon(root):
        assert run(root, "pair", "--token", "phone").returncode == 0
        assert offered("mirrord devices revoke ") == ["phone"]


@needs("zsh")
def test_zsh_completes_verbs_and_devices(runtime: Path) -> None:
    root = runtime.parent
    (root / ".zshrc").write_text('autoload -U compinit; compinit -D\neval "$(mirrord completion zsh)"\nPS1="garden> "\n')
    env = environment(root, {"PATH": OURS_FIRST, "ZDOTDIR": str(root)})
    with daemon(root), Terminal(["zsh", "-i"], env=env, cwd=root) as zsh:
        assert run(root, "pair", "--token", "phone").returncode == 0
        zsh.wait_for("garden>", PATIENCE)
        for typed, completed_to in (("mirrord unin", "mirrord uninstall"), ("mirrord devices revoke ", "mirrord devices revoke phone")):
            zsh.send(typed)
            zsh.keys("tab")
            zsh.wait_for(re.compile(rf"^garden> {completed_to} *$", re.MULTILINE), PATIENCE)
            zsh.keys("ctrl+u")
