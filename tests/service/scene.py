"""A real Pi in a repository of its own, and a client that looks at it through the daemon that the environment's places lead to.

Then the daemon is killed, and a client looks again. Run by tests as the person whose service that daemon is; prints what the clients saw,
a JSON object each.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
from msgspec import UNSET

from bridge.daemon_lock import read_holder
from bridge.paths import paths_here
from mirrord.client import Connection, DaemonNotRunning, Local, connect
from mirrord.demo.pi_home import temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.wire import chat
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from tests.e2e.stage import EXTENSION
from tests.harness.exerciser import ExerciserLog, slash
from tests.harness.pi import EXERCISER, FULLSCREEN, running_pi

PLACES = ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
SEEN_SECONDS = 45.0


def repository(folder: Path) -> None:
    """One file that was committed and has changed since: two lines came, one went."""

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=garden")
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)

    file = folder / "poem"
    file.write_text("one\ntwo\n")
    git("init", "--quiet")
    git("add", "poem")
    git("commit", "--quiet", "--message", "a poem")
    file.write_text("one\nthree\nfour\n")


async def linked(connection: Connection, pid: int) -> str:
    """The session of this Pi."""
    sessions = list(connection.welcome.sessions)
    while not any(session.pid == pid for session in sessions):
        sessions.append((await connection.until(wire.SessionChanged)).session)
    return next(session.session_id for session in sessions if session.pid == pid)


async def look(pid: int) -> dict[str, Any]:
    """What a client sees of the Pi: its prompt, its conversation, its folder."""
    seen: dict[str, Any] = {}
    with anyio.fail_after(SEEN_SECONDS):
        async with connect(Local(paths_here().control_socket), name="scene", kind="test", capabilities=SERVER_CAPABILITIES) as client:
            session = await linked(client, pid)
            await client.send(wire.Subscribe(session_id=session))
            seen["prompts"] = [prompt.title for prompt in (await client.until(wire.Snapshot)).prompts]
            await client.send(chat.ChatSubscribe(session_id=session))
            while not {"messages", "additions"} <= seen.keys():
                snapshot = (await client.until(chat.ChatEvent)).snapshot
                if snapshot is None:
                    continue
                if snapshot.messages is not UNSET and snapshot.messages:
                    seen["messages"] = len(snapshot.messages)
                if snapshot.workspace is not UNSET and snapshot.workspace is not None and snapshot.workspace.additions is not None:
                    found = snapshot.workspace
                    seen |= {"branch": found.branch, "additions": found.additions, "deletions": found.deletions}
            seen["role"] = client.welcome.role
    return seen


def main() -> None:
    """The scene."""
    # As for whoever typed `pi` in the shell that this was started from: variables that are not set stay so.
    places = {name: os.environ.get(name, "") for name in PLACES}
    with ScriptedModel() as model, temporary_pi_home(model.base_url) as home:
        repository(home.work)
        log = ExerciserLog(home.root / "exerciser.jsonl")
        env = {**places, "HOME": os.environ["HOME"], **log.environment()}
        with running_pi(FULLSCREEN, home, extensions=[EXTENSION, EXERCISER], env=env) as pi:
            pi.line("hello")
            pi.settle(1.0)
            pi.line(slash("t-select"))
            pi.settle(0.5)
            try:
                before = anyio.run(look, pi.pid)
                holder = read_holder(paths_here().lock_file)
                assert holder is not None
                os.kill(holder.pid, signal.SIGKILL)
                after = anyio.run(look, pi.pid)
            except (TimeoutError, DaemonNotRunning) as error:
                print(pi.screen_text(), error, file=sys.stderr)
                raise
    print(json.dumps([before, after]))


if __name__ == "__main__":
    main()
