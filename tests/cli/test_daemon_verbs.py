"""Promise: serve, status and pair say what is so, in a form for people and one for programs, and a mistake is one sentence."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import anyio.to_thread
import pytest

from mirrord.client import BadCredential, Remote, connect
from tests.cli.commands import run
from tests.cli.daemons import daemon, stop


@pytest.fixture
def root(runtime: Path) -> Iterator[Path]:
    yield runtime.parent
    stop(runtime.parent)


def one_sentence(done: subprocess.CompletedProcess[str]) -> str:
    """What a mistake of the person ends in."""
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("mirrord: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("mirrord: ").rstrip("\n")


def test_status_and_pair_of_a_running_daemon(root: Path) -> None:
    with daemon(root) as process:
        status = json.loads(run(root, "status", "--json").stdout)
        assert status["pid"] == process.pid
        assert status["socket"] == str(root / "mirrord" / "control.sock")
        assert status["url"].startswith("ws://127.0.0.1:")
        assert status["sessions"] == []

        paired = run(root, "pair", "--token", "phone")
        assert len(paired.stdout.split()) == 1
        assert f"phone may connect as controller to {status['url']}" in paired.stderr
        script = json.loads(run(root, "pair", "--token", "script", "--role", "observer", "--json").stdout)
        assert (script["name"], script["role"], script["url"]) == ("script", "observer", status["url"])
        assert script["token"] != paired.stdout.strip()

        assert one_sentence(run(root, "pair", "--token", "phone")).startswith("there is a credential called phone already")
        assert one_sentence(run(root, "attach")) == "no Pi session is running; start one with `mirrord pi`"
        assert "already running (pid" in one_sentence(run(root, "serve", "--port", "0"))
        shown = run(root, "status").stdout
        assert "No session. Start one with `mirrord pi`." in shown
        assert status["url"] in shown


async def test_a_credential_the_daemon_does_not_know_is_one_sentence(root: Path) -> None:
    def url_of() -> str:
        url: str = json.loads(run(root, "status", "--json").stdout)["url"]
        return url

    with daemon(root):
        url = await anyio.to_thread.run_sync(url_of)
        with pytest.raises(BadCredential, match=f"^{url} does not know this credential; make a new one with `mirrord pair --token NAME`$"):
            async with connect(Remote(url, "mrd_wrong"), name="test", kind="test"):
                pass


def test_a_detached_daemon_answers_when_the_command_returns(root: Path) -> None:
    done = run(root, "serve", "--port", "0", "--detach")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert run(root, "status").returncode == 0


def test_where_one_runs_already_a_detached_start_says_so_and_fails_for_another_port(root: Path) -> None:
    assert run(root, "serve", "--port", "0", "--detach").returncode == 0
    status = json.loads(run(root, "status", "--json").stdout)
    pid, port = status["pid"], status["port"]
    for wanted in ((), ("--port", "0"), ("--port", str(port))):
        done = run(root, "serve", "--detach", *wanted)
        told = f"mirrord: mirrord is already running (pid {pid}, http://127.0.0.1:{port}/)\n"
        assert (done.returncode, done.stdout, done.stderr) == (0, "", told)
    assert one_sentence(run(root, "serve", "--detach", "--port", "17")) == (
        f"mirrord is already running (pid {pid}, http://127.0.0.1:{port}/), and not at port 17; "
        f"stop it with `kill {pid}` and start it again"
    )
    assert json.loads(run(root, "status", "--json").stdout)["pid"] == pid


@pytest.mark.parametrize(
    "command", [("status",), ("attach",), ("pair",), ("pair", "--token", "phone"), ("devices",), ("devices", "revoke", "phone")]
)
def test_without_a_daemon_what_to_do_is_one_sentence(root: Path, command: tuple[str, ...]) -> None:
    assert one_sentence(run(root, *command)) == (
        f"no mirrord daemon is running (there is no {root}/mirrord/control.sock); "
        "start one with `mirrord serve`, or start Pi with `mirrord pi`"
    )


def test_a_busy_port_is_one_sentence(root: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        for more in ((), ("--detach",)):
            said = one_sentence(run(root, "serve", "--port", str(port), *more))
            assert f"port {port} cannot be used" in said
            assert "--port" in said


def test_a_socket_that_somebody_else_answers_on_is_one_sentence(root: Path) -> None:
    with socket.socket(socket.AF_UNIX) as foreign:
        foreign.bind(str(root / "mirrord" / "control.sock"))
        foreign.listen()
        assert "another program answers on" in one_sentence(run(root, "serve", "--port", "0"))


def test_a_file_in_the_sockets_place_is_one_sentence(root: Path) -> None:
    (root / "mirrord" / "control.sock").write_text("")
    assert "not a socket; move it away" in one_sentence(run(root, "status"))
    assert "not a socket; move it away" in one_sentence(run(root, "serve", "--port", "0"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a socket to another user")
def test_a_socket_of_another_user_is_one_sentence(root: Path) -> None:
    path = root / "mirrord" / "control.sock"
    with socket.socket(socket.AF_UNIX) as foreign:
        foreign.bind(str(path))
        os.chown(path, 65_534, 65_534)
        for command in (("status",), ("serve", "--port", "0")):
            assert "belongs to user 65534, not to you" in one_sentence(run(root, *command))


@pytest.mark.parametrize(
    "command",
    [
        ("serve", "--port", "x"),
        ("serve", "--port", "70000"),
        ("pair", "--token", "x", "--role", "owner"),
        ("pair", "--token"),
        ("devices", "rename", "x"),
        ("devices", "nope"),
        ("nope",),
    ],
)
def test_a_wrong_command_line_is_status_2_and_starts_nothing(root: Path, command: tuple[str, ...]) -> None:
    done = run(root, *command)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_the_daemon_quietly(root: Path) -> None:
    with daemon(root) as process:
        process.send_signal(2)
        _, errors = process.communicate(timeout=20)
    assert process.returncode in (0, 130)
    assert "Traceback" not in errors


def test_asking_how_it_is_does_not_keep_a_daemon_alive(root: Path) -> None:
    assert run(root, "serve", "--port", "0", "--detach", "--idle-exit", "600").returncode == 0
    ends = [json.loads(run(root, "status", "--json").stdout)["idleExit"] for _ in range(2)]
    assert ends[0]["seconds"] == 600
    assert abs(ends[1]["at"] - ends[0]["at"]) < 50


def test_a_daemon_started_by_name_stays(root: Path) -> None:
    with daemon(root):
        assert json.loads(run(root, "status", "--json").stdout)["idleExit"] is None
