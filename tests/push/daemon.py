"""`python -m tests.push.daemon DIRECTORY PORT CERTIFICATE`: the daemon as a process of its own, which finds one push service alone.

It is put together as `mirrord serve` does it, with another transport. Prints its address when it answers; SIGTERM ends it.
"""

from __future__ import annotations

import ssl
import sys
from pathlib import Path

import anyio

from mirrord.clock import SystemClock
from mirrord.daemon.daemon import run
from mirrord.place import taking_place
from mirrord.testing import settings_in
from tests.push.service import reaching


def main() -> int:
    directory, port, certificate = sys.argv[1:]
    settings, clock = settings_in(Path(directory)), SystemClock()
    transport = reaching(int(port), ssl.create_default_context(cafile=certificate), [])
    with taking_place(settings, clock, quiet=True) as place:
        address = f"http://127.0.0.1:{place.network.getsockname()[1]}"
        return anyio.run(run, place, settings, clock, lambda _: print(address, flush=True), None, transport)


if __name__ == "__main__":
    sys.exit(main())
