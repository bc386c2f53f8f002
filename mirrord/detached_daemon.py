"""`python -m mirrord.detached_daemon`: what `spawn_detached` starts, a daemon that belongs to no terminal and is nobody's child."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mirrord.settings import Settings


def main() -> None:
    """Fork, serve, and tell on the ready descriptor how it went. What serves is loaded after the fork: until then somebody waits for us."""
    parser = argparse.ArgumentParser(prog="mirrord daemon", description="Started by mirrord itself; see `mirrord serve`.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--spare-ports", type=int, default=0)
    parser.add_argument("--ready-fd", type=int, required=True)
    parser.add_argument("--idle-exit", type=float)
    parser.add_argument("--log-level")
    arguments = parser.parse_args()
    if os.fork():
        os._exit(0)
    # All are inherited, and whoever started this may have had reasons of its own for them.
    os.umask(0o077)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sys.exit(_serve(arguments))


def _serve(arguments: argparse.Namespace) -> int:
    """The exit status of a daemon with these arguments."""
    import msgspec

    from bridge.daemon_lock import DaemonRunning
    from bridge.refusal import Refusal
    from mirrord.daemon.daemon import serve
    from mirrord.detached import Report
    from mirrord.errors import MirrordError

    with os.fdopen(arguments.ready_fd, "wb", buffering=0) as ready:

        def report(**said: object) -> None:
            if ready.closed:
                return
            # Who started this may have given up waiting; the next one finds a daemon.
            with contextlib.suppress(OSError), ready:
                ready.write(msgspec.json.encode(msgspec.convert({"pid": os.getpid(), **said}, Report)) + b"\n")

        try:
            settings = _settings(arguments)
            return serve(settings, lambda info: report(notice=info.notice), quiet=True)
        except (MirrordError, Refusal) as error:
            report(error=str(error), running=isinstance(error, DaemonRunning))
            return 1


def _settings(arguments: argparse.Namespace) -> Settings:
    """What our starter decided, and of everything else what is configured."""
    from bridge.paths import paths_here
    from mirrord.config import daemon_settings, read_config

    paths = paths_here()
    given = {"port": arguments.port, "idle_exit": arguments.idle_exit or 0.0}
    if arguments.log_level is not None:
        given["log_level"] = arguments.log_level
    settings = daemon_settings(paths, read_config(paths.config_file, os.environ, given))
    return replace(settings, spare_ports=arguments.spare_ports)


if __name__ == "__main__":
    main()
