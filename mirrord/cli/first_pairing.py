"""With no paired device `mirrord serve` and `mirrord pi` show a pairing code first: once, briefly, and never in anybody's way."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from bridge.paths import Paths
from mirrord.cli.automation import is_automated
from mirrord.config import read_config
from mirrord.store_file import may_have_paired_device

PATIENCE_SECONDS: Final = 3.0
"""How long Pi's start may wait for a code; it takes half a second, and without one Pi starts all the same."""


def wanted(paths: Paths, environ: Mapping[str, str]) -> bool:
    """Whether somebody is there to see a code, who has no device yet and did not switch this off.

    Reads two small files, so that whoever has a device waits for nothing. Never raises.
    """
    if is_automated(environ) or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    config = read_config(paths.config_file, environ)
    return config["show_pairing"] is True and not may_have_paired_device(paths.state_dir)


def show(anew: str) -> None:
    """Show a code and return; `anew` says how to get another. Blocks up to PATIENCE_SECONDS.

    What goes wrong goes unsaid, since nobody asked for a code.
    """
    import anyio

    from bridge.refusal import Refusal
    from mirrord.cli.pair_wait import show_and_wait
    from mirrord.errors import MirrordError

    async def run() -> bool:
        with anyio.move_on_after(PATIENCE_SECONDS):
            await show_and_wait("controller", as_json=False, wait=False)
            return True
        return False

    with suppress(MirrordError, Refusal, OSError):
        if anyio.run(run):
            print(f"Good for two minutes; {anew} for a new one. `show_pairing = false` in config.toml leaves this out.", flush=True)
