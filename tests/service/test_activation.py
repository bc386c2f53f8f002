"""Promise: a passed socket is taken exactly when it is one that the daemon would have made, and is otherwise named with what is wrong."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from mirrord.clock import SystemClock
from mirrord.place import SEND_BUFFER_BYTES, taking_place
from mirrord.service import activation
from mirrord.service.activation import Activated, activated
from mirrord.service.errors import BadActivation
from mirrord.settings import Settings

PID = 4711

FIRST = 500
"""Far above whatever the test runner has open."""


def unix(path: Path, mode: int = 0o600, kind: socket.SocketKind = socket.SOCK_STREAM) -> socket.socket:
    """As a manager makes one."""
    path.parent.mkdir(0o700, exist_ok=True)
    sock = socket.socket(socket.AF_UNIX, kind)
    sock.bind(str(path))
    path.chmod(mode)
    if kind is socket.SOCK_STREAM:
        sock.listen()
    return sock


def loopback(host: str = "127.0.0.1") -> socket.socket:
    sock = socket.socket()
    sock.bind((host, 0))
    sock.listen()
    return sock


@contextmanager
def passed(*sockets: socket.socket | int, names: str = "") -> Iterator[dict[str, str]]:
    """An environment that passes these, which follow one another."""
    numbers = [sock if isinstance(sock, int) else sock.detach() for sock in sockets]
    for place, number in enumerate(numbers):
        os.dup2(number, FIRST + place)
        os.close(number)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(activation, "FIRST", FIRST)
        try:
            yield {"LISTEN_PID": str(PID), "LISTEN_FDS": str(len(numbers)), "LISTEN_FDNAMES": names, "HOME": "/"}
        finally:
            for place in range(len(numbers)):
                with suppress(OSError):
                    os.close(FIRST + place)


def take(environ: dict[str, str], settings: Settings) -> Activated:
    return activated(environ, PID, settings.paths, settings.host, settings.port)


def test_ours_are_taken_in_any_order_and_no_child_gets_them(own_settings: Settings) -> None:
    paths = own_settings.paths
    with passed(loopback(), unix(paths.bridge_socket), unix(paths.control_socket), names="a:b:c") as environ:
        taken = take(environ, own_settings)
        assert environ == {"HOME": "/"}
        assert set(taken.unix) == {paths.bridge_socket, paths.control_socket}
        assert taken.network is not None
        for sock in (taken.network, *taken.unix.values()):
            assert not sock.get_inheritable()
            assert not sock.getblocking()
        taken.close()


@pytest.mark.parametrize("variables", [{}, {"LISTEN_PID": "1", "LISTEN_FDS": "3"}, {"LISTEN_PID": str(PID), "LISTEN_FDS": "-1"}])
def test_what_is_for_somebody_else_or_nothing_is_nothing(own_settings: Settings, variables: dict[str, str]) -> None:
    taken = take(dict(variables), own_settings)
    assert (taken.network, taken.unix) == (None, {})


def refused(settings: Settings, *sockets: socket.socket | int, names: str = "") -> str:
    with passed(*sockets, names=names) as environ, pytest.raises(BadActivation) as caught:
        take(environ, settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_after_a_refusal_none_stays_open(own_settings: Settings) -> None:
    with passed(unix(own_settings.paths.bridge_socket), loopback("0.0.0.0")) as environ:
        with pytest.raises(BadActivation):
            take(environ, own_settings)
        for number in (FIRST, FIRST + 1):
            with pytest.raises(OSError, match="descriptor"):
                os.fstat(number)


def test_a_place_that_is_not_ours_is_named_with_the_descriptor(own_settings: Settings) -> None:
    foreign = own_settings.paths.runtime_dir / "other.sock"
    said = refused(own_settings, unix(own_settings.paths.bridge_socket), unix(foreign), names="bridge:other")
    assert f"descriptor 501 (other) cannot be used: it listens at '{foreign}'" in said
    assert "mirrord service install" in said


def test_one_that_others_could_reach_is_refused(own_settings: Settings) -> None:
    assert "open to other users (mode 0666)" in refused(own_settings, unix(own_settings.paths.bridge_socket, 0o666))


def test_one_whose_path_is_gone_or_something_else_is_refused(own_settings: Settings) -> None:
    path = own_settings.paths.bridge_socket
    gone = unix(path)
    path.unlink()
    assert "is gone" in refused(own_settings, gone)
    replaced = unix(path)
    path.unlink()
    path.write_text("a file")
    assert "is something else by now" in refused(own_settings, replaced)


def test_the_same_place_twice_is_refused(own_settings: Settings) -> None:
    path = own_settings.paths.bridge_socket
    first = unix(path)
    path.unlink()
    assert "has no socket to take" in refused(own_settings, first, unix(path))


def test_another_address_port_or_kind_is_refused(own_settings: Settings) -> None:
    other = Settings(own_settings.paths, 20_000)
    assert "the settings say 127.0.0.1 port 20000" in refused(other, loopback())
    assert "it listens on 0.0.0.0" in refused(own_settings, loopback("0.0.0.0"))
    assert "does not listen for streams" in refused(own_settings, unix(own_settings.paths.screen_socket, kind=socket.SOCK_DGRAM))
    assert "does not listen for streams" in refused(own_settings, socket.socket())
    assert "it is no socket" in refused(own_settings, os.open("/dev/null", os.O_RDONLY))
    with socket.socket(socket.AF_INET6) as probe, suppress(OSError):
        probe.bind(("::1", 0))
        probe.listen()
        assert "neither a unix socket nor IPv4" in refused(own_settings, os.dup(probe.fileno()))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has an abstract namespace")
def test_an_abstract_name_which_has_no_owner_is_refused(own_settings: Settings) -> None:
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(b"\0" + os.fsencode(own_settings.paths.bridge_socket))
    sock.listen()
    assert "has no socket to take" in refused(own_settings, sock)


def test_the_place_uses_what_was_passed_makes_the_rest_and_leaves_the_managers_files_there(own_settings: Settings) -> None:
    paths = own_settings.paths
    with passed(loopback(), unix(paths.bridge_socket)) as environ:
        taken = take(environ, own_settings)
        assert taken.network is not None
        port = taken.network.getsockname()[1]
        with taking_place(own_settings, SystemClock(), quiet=True, passed=taken) as place:
            assert place.network.getsockname()[1] == port
            # Linux answers with twice what was asked for.
            assert place.network.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) in (SEND_BUFFER_BYTES, 2 * SEND_BUFFER_BYTES)
            assert place.bridge.sock is taken.unix[paths.bridge_socket]
            assert paths.control_socket.exists()
    assert paths.bridge_socket.exists()
    assert not paths.control_socket.exists()
