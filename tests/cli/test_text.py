"""Promise: bytes that are no UTF-8 text are a mistake of the command line where text is meant, and kept where a path is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import anyio.to_thread
import click
import pytest

from mirrord.cli import cli
from tests.cli.attached import ENDED, snapshot
from tests.cli.commands import MIRRORD, PATIENCE, environment, run
from tests.cli.daemons import daemon
from tests.cli.test_help import every_command
from tests.client.scripted_daemon import Peer, control_socket

BYTES = b"caf\xe9"


def run_bytes(root: Path, *arguments: bytes) -> subprocess.CompletedProcess[bytes]:
    words = [*map(os.fsencode, MIRRORD), *arguments]
    return subprocess.run(
        words, env=environment(root), cwd=root, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
    )


@pytest.mark.parametrize(
    "arguments",
    [
        (b"send", b"1", BYTES),
        (b"send", BYTES, b"text"),
        (b"attach", BYTES),
        (b"tui", BYTES),
        (b"record", BYTES),
        (b"record", b"--for", BYTES),
        (b"pair", b"--token", BYTES),
        (b"devices", b"rename", b"tok", BYTES),
        (b"devices", b"rename", BYTES, b"tok"),
        (b"devices", b"revoke", BYTES),
        (b"logs", b"--since", BYTES),
    ],
    ids=repr,
)
def test_where_text_is_meant_it_is_a_wrong_command_line(runtime: Path, arguments: tuple[bytes, ...]) -> None:
    done = run_bytes(runtime.parent, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"Usage: mirrord ")
    assert done.stderr.splitlines()[-1].startswith(b"Error: Invalid value for ")
    assert done.stderr.endswith(b": it is no UTF-8 text.\n")


@pytest.mark.parametrize(
    "arguments", [(BYTES,), (b"status", BYTES), (b"completion", BYTES), (b"devices", BYTES), (b"pair", b"--" + BYTES)], ids=repr
)
def test_no_word_ends_in_a_traceback(runtime: Path, arguments: tuple[bytes, ...]) -> None:
    done = run_bytes(runtime.parent, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr


def test_every_word_is_text_or_says_what_else_it_is() -> None:
    for path, command in every_command(cli):
        for parameter in command.params:
            assert parameter.type is not click.STRING, f"{path}: {parameter.name}"
            if parameter.metavar in ("PATH", "FILE"):
                assert isinstance(parameter.type, click.Path), f"{path}: {parameter.name} would take no bytes that are no text"


@pytest.fixture
def root(runtime: Path) -> Iterator[Path]:
    with daemon(runtime.parent):
        yield runtime.parent


def test_nothing_was_done_before(root: Path) -> None:
    run(root, "pair", "--token", "tok")
    assert run_bytes(root, b"devices", b"rename", b"tok", BYTES).returncode == 2
    assert run_bytes(root, b"pair", b"--token", BYTES).returncode == 2
    assert [row.split()[0] for row in run(root, "devices").stdout.splitlines()] == ["NAME", "tok"]


async def test_a_recording_may_be_called_anything(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.welcome()
        await peer.hear()
        await peer.say(snapshot(), ENDED)
        await peer.socket.wait_closed()

    name = BYTES + b".jsonl"
    async with control_socket(runtime, script):
        done = await anyio.to_thread.run_sync(run_bytes, runtime.parent, b"record", b"-o", name)
    assert done.returncode == 0, done.stderr
    assert name in os.listdir(os.fsencode(runtime.parent))
    explained = await anyio.to_thread.run_sync(run_bytes, runtime.parent, b"record", b"--explain", name)
    assert (explained.returncode, explained.stdout) == (0, done.stdout)


def test_pi_is_given_any_bytes_from_a_folder_of_any_bytes(runtime: Path) -> None:
    folder = os.fsencode(runtime.parent) + b"/" + BYTES
    os.mkdir(folder)
    pi = folder + b"/pi"
    with open(pi, "w") as program:
        program.write('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    os.chmod(pi, 0o700)
    done = run_bytes(runtime.parent, b"pi", b"--pi", pi, b"-p", BYTES)
    assert (done.returncode, done.stdout.splitlines()) == (0, [b"-p", BYTES]), done.stderr
