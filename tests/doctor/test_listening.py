"""Promise: who listens is found as the kernel lists it, and nobody is connected to."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from mirrord.doctor.gather import listening
from mirrord.settings import Settings

pytestmark = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="this kernel lists nothing")


@pytest.mark.parametrize(
    ("family", "address"),
    [
        (socket.AF_INET, "127.0.0.1"),
        (socket.AF_INET, "0.0.0.0"),
        (socket.AF_INET6, "::"),
        (socket.AF_INET6, "::ffff:127.0.0.1"),
    ],
)
def test_whoever_takes_connections_to_our_address_has_the_port(family: socket.AddressFamily, address: str) -> None:
    with socket.socket(family) as sock:
        try:
            sock.bind((address, 0))
        except OSError as error:
            pytest.skip(f"{address}: {error}")
        port = sock.getsockname()[1]
        assert listening.at_port(port) is None
        sock.listen()
        found = listening.at_port(port)
        assert found is not None
        assert (found.uid, [pid for pid, _ in found.processes]) == (os.getuid(), [os.getpid()])
        sock.setblocking(False)
        with pytest.raises(BlockingIOError):
            sock.accept()


def test_another_address_of_this_machine_is_not_ours() -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.2", 0))
        sock.listen()
        assert listening.at_port(sock.getsockname()[1]) is None


def test_a_path_is_somebodys_while_it_is_there(own_settings: Settings) -> None:
    path = own_settings.paths.runtime_dir.parent / "s"
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))
        assert listening.at_path(path) is None
        sock.listen()
        found = listening.at_path(path)
        assert found is not None
        assert [pid for pid, _ in found.processes] == [os.getpid()]
        path.unlink()
        assert listening.at_path(path) is None


@pytest.mark.parametrize(("words", "name"), [(["-m", "http.server", "0"], "http.server"), (["-u", "SCRIPT"], "server.py")])
def test_a_program_of_python_is_called_by_its_own_name(tmp_path: Path, words: list[str], name: str) -> None:
    script = tmp_path / "server.py"
    script.write_text(
        "import socket\nwith socket.create_server(('127.0.0.1', 0)) as s:\n    print('port', s.getsockname()[1])\n    input()\n"
    )
    command = [sys.executable, *(str(script) if word == "SCRIPT" else word for word in words)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={"PYTHONUNBUFFERED": "1"}) as process:
        assert process.stdout is not None
        try:
            port = int(process.stdout.readline().split("port ")[1].split()[0])
            found = listening.at_port(port)
            assert found is not None
            assert (found.processes, found.ours) == (((process.pid, name),), False)
            assert str(found) == f"{name} (pid {process.pid})"
        finally:
            process.kill()
