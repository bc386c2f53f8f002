"""Looks at this machine. Changes nothing, and is done after LIMIT_SECONDS, whatever hangs."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from bridge.paths import Paths, home_here, paths_here
from mirrord import __version__
from mirrord.config import Config, read_config
from mirrord.doctor.facts import Facts, Origin, chosen_port
from mirrord.doctor.gather import daemon, machine, pi, service, store

LIMIT_SECONDS: Final = 4.5
"""For all parts, which are looked at side by side: people wait five seconds for an answer, and not six."""


def gather(env: Mapping[str, str], *, limit: float = LIMIT_SECONDS) -> Facts:
    """Everything that can be found out here."""
    paths = paths_here()
    config = read_config(paths.config_file, env)
    found, late = side_by_side(_parts(paths, env, config), limit)
    return Facts(paths, __version__, os.getuid(), config=config, late=late, **found)


def _parts(paths: Paths, env: Mapping[str, str], config: Config) -> dict[str, Callable[[], Any]]:
    home = home_here()
    manager = (env, home, sys.platform, os.getuid())
    return {
        "pi": lambda: pi.find(env),
        "extension": lambda: pi.find_extension(env, home, paths, os.getcwd()),
        "places": lambda: machine.places(paths),
        "lock": lambda: daemon.look_at_lock(paths),
        "daemon": lambda: daemon.ask(paths),
        "port": lambda: daemon.look_at_port(*_port(service.port_here(*manager), config)),
        "clock": lambda: machine.clock(env),
        "store": lambda: store.look(paths.state_dir),
        "service": lambda: service.look(*manager),
        "surroundings": lambda: machine.surroundings(env),
        "terminal": lambda: machine.terminal(env),
    }


def _port(of_service: int | None, config: Config) -> tuple[int, Origin]:
    """The port that a daemon would take, and who says so."""
    if of_service is not None:
        return of_service, "service"
    chosen, port = chosen_port(config), config["port"]
    assert isinstance(port, int)
    return port, "default" if chosen is None else "chosen"


def side_by_side(parts: Mapping[str, Callable[[], Any]], limit: float) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What the parts return, by name, and the names of those that are not done after `limit` seconds or failed. Blocks.

    A thread that hangs is left behind, and ends with the process.
    """
    found: dict[str, Any] = {}

    def run(name: str, part: Callable[[], Any]) -> None:
        try:
            found[name] = part()
        except Exception:
            # What cannot be looked at is told as such; the others are looked at all the same.
            return

    threads = [threading.Thread(target=run, args=item, daemon=True) for item in parts.items()]
    deadline = time.monotonic() + limit
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    done = dict(found)
    return done, tuple(name for name in parts if name not in done)
