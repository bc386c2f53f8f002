"""Promise: one daemon at a time has the place, it leaves nothing of its own behind, and every obstacle is one sentence."""

from __future__ import annotations

import os
import resource
import socket
import stat
from contextlib import ExitStack
from dataclasses import replace

import pytest

from bridge.daemon_lock import DaemonRunning, read_holder
from bridge.private import NotASocket, OpenDirectory
from mirrord.clock import SystemClock
from mirrord.errors import PortNotUsable, StoreNotWritable
from mirrord.place import DESCRIPTORS, Place, taking_place
from mirrord.service.activation import Activated
from mirrord.settings import Settings
from mirrord.store import FILE_NAME
from mirrord.testing import settings_in
from tests.places import private_settings


def test_the_sockets_are_there_for_the_block_and_the_users_alone(own_settings: Settings) -> None:
    paths = own_settings.paths
    with taking_place(own_settings, SystemClock(), quiet=True) as place:
        for path in (paths.bridge_socket, paths.control_socket):
            assert stat.S_IMODE(path.lstat().st_mode) == 0o600
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(path))
        assert place.network.getsockname()[0] == "127.0.0.1"
        assert stat.S_IMODE(paths.runtime_dir.stat().st_mode) == 0o700
    assert not paths.bridge_socket.exists()
    assert not paths.control_socket.exists()


def test_the_second_daemon_is_told_whose_place_it_is_and_the_first_notices_nothing(own_settings: Settings, own_place: Place) -> None:
    with pytest.raises(DaemonRunning, match=f"pid {os.getpid()}"), taking_place(own_settings, SystemClock(), quiet=True):
        pass
    with socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(own_settings.paths.control_socket))


def test_a_place_can_be_taken_again_when_it_was_left(own_settings: Settings) -> None:
    for _ in range(3):
        with taking_place(own_settings, SystemClock(), quiet=True):
            pass


def test_a_port_that_is_in_use_is_named_and_nothing_stays_behind(own_settings: Settings) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        busy = Settings(own_settings.paths, port)
        with pytest.raises(PortNotUsable, match=rf"port {port} cannot be used .* --port"), taking_place(busy, SystemClock(), quiet=True):
            pass
    assert not own_settings.paths.control_socket.exists()
    with taking_place(busy, SystemClock(), quiet=True):
        pass


def test_a_port_that_is_in_use_gives_way_to_the_next_one_where_that_will_do(own_settings: Settings) -> None:
    with ExitStack() as stack:
        first = next(port for port in range(20_001, 30_000, 10) if all(map(_is_free, range(port, port + 3))))
        for port in (first, first + 1):
            other = stack.enter_context(socket.socket())
            other.bind(("127.0.0.1", port))
            other.listen()
        with taking_place(replace(own_settings, port=first, spare_ports=2), SystemClock(), quiet=True) as place:
            assert place.network.getsockname()[1] == first + 2
        busy = replace(own_settings, port=first, spare_ports=1)
        with pytest.raises(PortNotUsable, match=f"port {first} cannot be used"), taking_place(busy, SystemClock(), quiet=True):
            pass


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def test_the_port_is_noted_for_whoever_cannot_ask_us_also_when_a_service_manager_made_the_socket(own_settings: Settings) -> None:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        made.listen()
        for passed in (None, Activated(network=made)):
            with taking_place(own_settings, SystemClock(), quiet=True, passed=passed) as place:
                holder = read_holder(own_settings.paths.lock_file)
                assert holder is not None
                assert holder.port == place.network.getsockname()[1]


def test_a_socket_of_somebody_else_is_left_alone_when_ours_was_replaced(own_settings: Settings) -> None:
    path = own_settings.paths.control_socket
    with taking_place(own_settings, SystemClock(), quiet=True):
        path.unlink()
        path.write_text("not ours")
    assert path.read_text() == "not ours"
    with pytest.raises(NotASocket), taking_place(own_settings, SystemClock(), quiet=True):
        pass
    assert not own_settings.paths.bridge_socket.exists()


def test_a_directory_that_others_can_enter_is_refused() -> None:
    with private_settings() as settings:
        settings.paths.runtime_dir.mkdir(mode=0o755)
        settings.paths.runtime_dir.chmod(0o755)
        with pytest.raises(OpenDirectory), taking_place(settings, SystemClock(), quiet=True):
            pass


def test_a_store_that_cannot_be_opened_is_one_sentence_and_frees_the_place(own_settings: Settings) -> None:
    own_settings.paths.state_dir.mkdir(mode=0o700)
    (own_settings.paths.state_dir / FILE_NAME).symlink_to("elsewhere")
    with pytest.raises(StoreNotWritable), taking_place(own_settings, SystemClock(), quiet=True):
        pass
    assert not own_settings.paths.control_socket.exists()


def test_the_process_may_hold_enough_descriptors(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 100_000))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    with taking_place(own_settings, SystemClock(), quiet=True):
        pass
    assert asked == [(DESCRIPTORS, 100_000)]


def test_two_daemons_in_two_directories_do_not_meet(own_settings: Settings, own_place: Place) -> None:
    with private_settings() as other, taking_place(other, SystemClock(), quiet=True) as place:
        assert place.network.getsockname() != own_place.network.getsockname()
        assert settings_in(other.paths.runtime_dir.parent.parent) == other
