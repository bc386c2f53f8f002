"""Promise: a menu of the real Pi is told within a second of being shown, and that it is gone as well, on both generations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.paths import paths_here
from bridge.screen.messages import ScreenState
from bridge.screen.start import start
from mirrord.demo.pi_home import temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from tests.bridge.screen.listening import Listening
from tests.harness.pi import GENERATIONS, OLD, PiKind, running_pi

SHOWN = {
    "/model": ("Only showing models", "model"),
    "/resume": ("○ All", "resume"),
    "/settings": ("Auto-compact", "settings"),
    "/tree": ("Session Tree", "tree"),
    "/trust": ("Project trust", "trust"),
}
WITHOUT_TRUST = OLD
"""It asks nobody whether a folder is trusted."""


@pytest.mark.e2e
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_menus_of_the_real_pi_are_told(kind: PiKind, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with (
        ScriptedModel() as model,
        temporary_pi_home(model.base_url) as home,
        running_pi(kind, home) as pi,
        Listening(paths_here().screen_socket) as daemon,
    ):
        feed = start(pi.pid, shared=False, columns=100, rows=30)
        daemon.accept()
        copied = 0

        def copy() -> None:
            nonlocal copied
            data = pi.output(copied)
            copied += len(data)
            feed.offer(data)
            feed.flush()

        def told(menu: str | None) -> Callable[[], bool]:
            return lambda: [message.menu for message in daemon.said if isinstance(message, ScreenState)][-1:] == [menu]

        daemon.wait(told(None), copy)
        pi.line("hello")
        pi.wait_for("Echo: hello")
        for command, (shown, menu) in SHOWN.items():
            if kind is WITHOUT_TRUST and menu == "trust":
                continue
            pi.line(command)
            pi.wait_for(shown)
            assert daemon.wait(told(menu), copy) < 1
            pi.keys("escape")
            pi.wait_gone(shown)
            assert daemon.wait(told(None), copy) < 1
        feed.close()
