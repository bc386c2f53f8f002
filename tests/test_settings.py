"""Promise: settings that would not be safe or possible cannot be made, and the refusal is one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.paths import locate
from mirrord.errors import MirrordError, PortNotUsable, UnsafeBind
from mirrord.settings import DEFAULT_PORT, Settings

PATHS = locate({}, "linux", 1000, "/home/ada")


def test_by_default_the_daemon_is_on_loopback_at_a_port_that_nobody_else_was_given() -> None:
    settings = Settings(PATHS)
    assert (settings.host, settings.port) == ("127.0.0.1", DEFAULT_PORT)
    assert 1024 < DEFAULT_PORT < 32_768
    assert settings.paths.state_dir == Path("/home/ada/.local/state/mirrord")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "::1", "localhost", "192.168.1.5", "127.0.0.2", ""])
def test_any_other_address_is_refused(host: str) -> None:
    with pytest.raises(UnsafeBind, match=r"127\.0\.0\.1"):
        Settings(PATHS, host=host)


@pytest.mark.parametrize("port", [0, 1, 65_535])
def test_every_port_is_possible_and_0_means_any(port: int) -> None:
    assert Settings(PATHS, port=port).port == port


@pytest.mark.parametrize("port", [-1, 65_536])
def test_what_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(PortNotUsable):
        Settings(PATHS, port=port)


def test_a_refusal_is_one_line_and_costs_exit_status_one() -> None:
    for error in (UnsafeBind("0.0.0.0"), PortNotUsable(80, "Permission denied")):
        assert isinstance(error, MirrordError)
        assert "\n" not in str(error)
        assert error.exit_code == 1
