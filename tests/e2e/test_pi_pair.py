"""Promise: `/mirrord pair` in the real Pi shows a code that pairs, in a dialog that is Pi's own and that no device ever sees."""

from __future__ import annotations

import re
from typing import Final

import anyio
import pytest

from mirrord.client import DaemonStatus, PairingRefused, pair
from mirrord.qr import half_blocks, modules
from mirrord.wire import messages as wire
from tests.e2e.stage import Stage, stage
from tests.harness.pi import GENERATIONS, PiKind, quit_pi

URL: Final = re.compile(r"http://127\.0\.0\.1:\d+/#pair=([0-9A-Z]{10})")
SHOWN: Final = re.compile(r"or type +\w{5}-\w{5} +at ")


def code_on(here: Stage) -> tuple[str, str]:
    """Address and code of the dialog that is open."""
    found = URL.search(here.pi.wait_for(SHOWN))
    assert found is not None
    return found[0], found[1]


def say(here: Stage, word: str) -> None:
    """A turn of the agent."""
    here.pi.line(f"hello {word}")
    here.pi.wait_for(f"Echo: hello {word}")
    here.pi.settle()


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_a_code_in_pi_pairs_a_device_and_nobody_else_sees_it(kind: PiKind) -> None:
    with stage(kind, rows=50) as here:
        remote = here.remote("watcher")
        say(here, "before")
        here.pi.line("/mirrord pair observer")
        url, code = code_on(here)
        text = here.pi.settle()
        picture = [f" {line}".rstrip() for line in half_blocks(modules(url))]
        rows = [row.rstrip() for row in text.split("\n")]
        assert any(rows[at : at + len(picture)] == picture for at in range(len(rows))), text
        assert "can watch and answer nothing" in text
        status = here.daemon.status()
        assert isinstance(status, DaemonStatus)
        assert [session.open_prompts for session in status.sessions] == [0]
        assert remote.all(wire.ExtensionUIRequest) == []

        assert anyio.run(pair, url, code, "phone").role == "observer"
        here.pi.wait_gone(SHOWN)
        here.pi.wait_for("phone is paired")
        say(here, "after")

        here.pi.line("/mirrord pair")
        url, code = code_on(here)
        here.pi.keys("escape")
        here.pi.wait_gone(SHOWN)
        say(here, "at last")
        here.pi.line("/mirrord pair")
        assert code_on(here)[1] != code
        with pytest.raises(PairingRefused, match="too old"):
            anyio.run(pair, url, code, "thief")
        here.pi.keys("escape")
        here.pi.wait_gone(SHOWN)
        assert quit_pi(here.pi) == 0


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_the_dialog_survives_the_daemons_death_and_says_so(kind: PiKind) -> None:
    with stage(kind, rows=24) as here:
        here.pi.line("/mirrord pair")
        here.pi.wait_for("No QR code, because it needs a window of")
        here.daemon.end()
        here.pi.wait_for("The link to the daemon is lost")
        here.pi.keys("escape")
        here.pi.wait_gone("Pair a device")
        say(here, "on")
        assert quit_pi(here.pi) == 0
