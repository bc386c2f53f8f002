"""Promise: the daemon keeps nothing of a manager's environment that it does not need, and starts anew at most once to get there."""

from __future__ import annotations

from mirrord.service.environment import SHED, is_managed, shed
from mirrord.service_manager import LAUNCHD_LABEL

NEEDED = {
    "HOME": "/home/ada",
    "PATH": "/bin",
    "XDG_RUNTIME_DIR": "/run/user/1000",
    "NOTIFY_SOCKET": "/run/notify",
    "LISTEN_PID": "4711",
    "LISTEN_FDS": "4",
    "INVOCATION_ID": "abc",
    "DISPLAY": ":0",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
}


def test_secrets_and_whatever_else_is_not_needed_are_left_behind() -> None:
    imported = {
        "ANTHROPIC_API_KEY": "x",
        "SSH_AUTH_SOCK": "/tmp/agent",
        "DESKTOP_STARTUP_ID": "1",
        "MIRRORD_TOKEN": "x",
        "PYTHONPATH": "/tmp",
    }
    assert shed(NEEDED | imported) == NEEDED | {SHED: "1"}


def test_where_nothing_is_to_be_left_behind_there_is_no_second_start() -> None:
    assert shed(NEEDED) is None


def test_there_is_never_a_third_start() -> None:
    assert shed(NEEDED | {SHED: "1", "COMES_BACK": "always"}) is None


def test_who_is_managed_is_told_by_its_manager_alone() -> None:
    assert is_managed({"NOTIFY_SOCKET": "/run/notify"}, 1)
    assert is_managed({"LISTEN_PID": "4711"}, 4711)
    assert not is_managed({"LISTEN_PID": "4711"}, 4712)
    assert is_managed({"XPC_SERVICE_NAME": LAUNCHD_LABEL}, 1)
    assert not is_managed({"XPC_SERVICE_NAME": "application.com.apple.Terminal"}, 1)
