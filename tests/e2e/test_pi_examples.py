"""Promise: Pi's own examples that open dialogs can be used from afar as they are; each generation runs those of its own package."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from mirrord.wire import messages as wire
from tests.e2e.play import Play
from tests.e2e.stage import stage, until
from tests.harness.pi import ALL, EXERCISER, GENERATIONS, examples

FILES: Final = (
    "permission-gate.ts",
    "confirm-destructive.ts",
    "timed-confirm.ts",
    "git-checkpoint.ts",
    "dirty-repo-guard.ts",
    "commands.ts",
    "handoff.ts",
    "plan-mode/index.ts",
    "rpc-demo.ts",
)
TURN_ENDS: Final = 15.0


# The id keeps all tests of a Pi on one worker.
@pytest.fixture(scope="module", params=[pytest.param(kind, id=f"{kind}+examples") for kind in GENERATIONS])
def shared(request: pytest.FixtureRequest) -> Iterator[Play]:
    kind = request.param
    with stage(kind, extensions=(EXERCISER, ALL, *(examples(kind) / file for file in FILES)), rows=60) as here:
        yield Play(here)


@pytest.fixture
def play(shared: Play) -> Play:
    shared.begin()
    return shared


def asked(play: Play, source: str, title: str = "", count: int = 1) -> wire.ExtensionUIRequest:
    """What that example asks, as the phone was told of it and as the terminal shows it."""

    def is_it(prompt: wire.ExtensionUIRequest) -> bool:
        return prompt.source == source and title in prompt.title

    until(lambda: len(play.phone.all(wire.ExtensionUIRequest, is_it)) >= count, 10, f"{source} asks nothing that is called {title!r}")
    prompt = play.phone.all(wire.ExtensionUIRequest, is_it)[count - 1]
    if prompt.method != "custom":
        # Without pictures, of which terminals make what they will.
        play.stage.pi.wait_for(prompt.title.splitlines()[0].encode("ascii", "ignore").decode().strip()[:40])
    return prompt


def answered(play: Play, prompt: wire.ExtensionUIRequest, **answer: object) -> None:
    """From the phone; afterwards the dialog is open nowhere."""
    result = play.phone.answer(prompt.id, **answer)  # type: ignore[arg-type] # keywords of an answer
    assert result.accepted, result
    assert [remote.settled(prompt.id).winner_name for remote in play.everybody] == ["phone"] * len(play.everybody)


def types(play: Play, line: str) -> None:
    play.rest()
    play.stage.pi.line(line)


def says(play: Play, text: str) -> None:
    """A notification of an extension, on the screen and at the phone."""
    play.phone.wait(wire.ExtensionUINotification, lambda told: told.method == "notify" and text in (told.message or ""))
    play.stage.pi.wait_for(lambda screen: text in "".join(row.strip() for row in screen.splitlines()))


def turn_ends(play: Play) -> None:
    until(lambda: play.session.status.state == "your_turn", TURN_ENDS, "the turn does not end")


@pytest.mark.parametrize("answer", ["Yes", "No"])
def test_permission_gate(play: Play, answer: str) -> None:
    file = play.stage.home.work / "shared.txt"
    file.touch(mode=0o600)
    types(play, f"run: chmod 777 {file} && echo changed")
    prompt = asked(play, "permission-gate")
    assert f"chmod 777 {file}" in prompt.title
    assert play.session.status.state == "waiting"
    answered(play, prompt, value=answer)
    play.stage.pi.wait_for("Tool said: changed" if answer == "Yes" else "Tool said: Blocked by user")
    assert (file.stat().st_mode & 0o777 == 0o777) == (answer == "Yes")
    file.unlink()
    turn_ends(play)


def test_confirm_destructive_and_rpc_demo_on_new(play: Play) -> None:
    before = play.session.conversation_id
    types(play, "/new")
    answered(play, asked(play, "confirm-destructive", "Clear session?"), confirmed=False)
    says(play, "Clear cancelled")
    assert play.session.conversation_id == before
    play.phone.forget()
    types(play, "/new")
    answered(play, asked(play, "confirm-destructive", "Clear session?"), confirmed=True)
    answered(play, asked(play, "rpc-demo", "Clear session?"), confirmed=True)
    until(lambda: play.session.conversation_id != before, 10, "there is no new conversation")
    until(lambda: play.session.status.state not in ("detached", "waiting"), 10, "the session does not come back")


def test_timed_confirm(play: Play) -> None:
    types(play, "/timed")
    prompt = asked(play, "timed-confirm", "Timed Confirmation")
    assert prompt.timeout_at == prompt.opened_at + 5000
    answered(play, prompt, confirmed=True)
    says(play, "Confirmed by user!")
    types(play, "/timed-select")
    answered(play, asked(play, "timed-confirm", "Pick an option"), value="Option B")
    says(play, "Selected: Option B")
    types(play, "/timed-signal")
    answered(play, asked(play, "timed-confirm", "Timed Confirmation", 2), cancelled=True)
    says(play, "Cancelled by user")


def test_commands(play: Play) -> None:
    types(play, "/commands extension")
    prompt = asked(play, "commands", "Available Commands")
    assert prompt.options is not None
    (timed,) = [option for option in prompt.options if option.startswith("/timed -")]
    answered(play, prompt, value=timed)
    confirm = asked(play, "commands", "timed")
    assert confirm.message is not None
    assert confirm.message.endswith("timed-confirm.ts")
    answered(play, confirm, confirmed=True)
    says(play, "timed-confirm.ts")


def test_rpc_demo(play: Play) -> None:
    types(play, "/rpc-input")
    answered(play, asked(play, "rpc-demo", "Enter a value"), value="from afar")
    says(play, "You entered: from afar")
    types(play, "/rpc-editor")
    editor = asked(play, "rpc-demo", "Edit some text")
    assert editor.prefill == "Line 1\nLine 2\nLine 3"
    answered(play, editor, value="one\ntwo")
    says(play, "Editor submitted (2 lines)")
    types(play, "run: rm -rf nothing-here")
    answered(play, asked(play, "permission-gate"), value="Yes")
    answered(play, asked(play, "rpc-demo", "Dangerous command"), value="Block")
    says(play, "Command blocked by user")
    turn_ends(play)


def test_handoff(play: Play) -> None:
    types(play, "say something first")
    turn_ends(play)
    before = play.session.conversation_id
    types(play, "/handoff plant the tulips")
    loader = asked(play, "handoff")
    assert (loader.method, loader.cancellable) == ("custom", False)
    editor = asked(play, "handoff", "Edit handoff prompt")
    assert editor.prefill is not None
    assert "plant the tulips" in editor.prefill
    answered(play, editor, value="Plant tulips,\nthen roses.")
    answered(play, asked(play, "confirm-destructive", "Clear session?"), confirmed=True)
    answered(play, asked(play, "rpc-demo", "Clear session?"), confirmed=True)
    until(lambda: play.session.conversation_id != before, 10, "there is no new conversation")
    play.stage.pi.wait_for("then roses.")
    play.stage.pi.keys("ctrl+c")


def test_git_checkpoint_and_dirty_repo_guard(play: Play) -> None:
    work = play.stage.home.work
    file = work / "garden.txt"
    git(work, "init", "-q")
    file.write_text("tulips\n")
    git(work, "add", "garden.txt")
    git(work, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "tulips")
    git(work, "config", "user.name", "Ada")
    git(work, "config", "user.email", "ada@example.org")
    file.write_text("tulips and roses\n")
    # The checkpoint is there while the agent goes on, and gone when it rests.
    types(play, "run: yes word | head -1000 | tr '\\n' ' '")
    play.stage.pi.wait_for(re.compile("Tool said: word word"))
    git(work, "checkout", "-q", "garden.txt")
    (work / "untracked.txt").touch()
    play.stage.pi.line("/t-fork")
    answered(play, asked(play, "confirm-destructive", "Fork from entry"), index=0)
    answered(play, asked(play, "git-checkpoint", "Restore code state?"), index=0)
    says(play, "Code restored to checkpoint")
    assert file.read_text() == "tulips and roses\n"
    guard = asked(play, "dirty-repo-guard", "uncommitted file(s)")
    answered(play, guard, value="No, let me commit first")
    says(play, "Commit your changes first")
    turn_ends(play)


def test_plan_mode(play: Play) -> None:
    # The last one: an older plan-mode leaves words for the next turn behind.
    types(play, "/plan")
    says(play, "Plan mode enabled")
    # The model's answer repeats the line, and so holds a plan.
    play.rest()
    play.stage.pi.send("\x1b[200~Plan:\n1. Dig a long trench\n2. Plant roses beside the wall\x1b[201~")
    play.rest()
    play.stage.pi.keys("enter")
    answered(play, asked(play, "plan-mode", "what next?"), value="Refine the plan")
    editor = asked(play, "plan-mode", "Refine the plan:")
    assert editor.prefill == ""
    answered(play, editor, value="use less water")
    answered(play, asked(play, "plan-mode", "what next?", 2), value="Stay in plan mode")
    turn_ends(play)
    types(play, "/plan")
    says(play, "Plan mode disabled")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
