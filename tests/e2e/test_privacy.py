"""Promise: a session that is private is Pi's alone. No connection is attempted, and Pi works as ever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pytest

from mirrord.demo.pi_home import PiHome
from tests.e2e.recorded import recorded
from tests.harness.extension_copy import ORIGINAL
from tests.harness.pi import GENERATIONS, PiKind, quit_pi
from tests.harness.recorder import places

PRIVATE: Final[Mapping[str, tuple[Mapping[str, str], str]]] = {
    "by MIRRORD=0": ({"MIRRORD": "0"}, ""),
    "by mirror = false": ({}, "mirror = false\n"),
    "by exclude": ({}, 'exclude = ["/tmp/mirrord-*/work"]\n'),
    "not": ({}, "mirror = true\n"),
}


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
@pytest.mark.parametrize("private", PRIVATE)
def test_a_private_session_opens_no_connection(kind: PiKind, private: str) -> None:
    variables, config = PRIVATE[private]

    def configure(home: PiHome) -> Mapping[str, str]:
        file = places(home).config_file
        file.parent.mkdir(mode=0o700, parents=True)
        file.write_text(config)
        return variables

    with recorded(kind, extensions=[ORIGINAL], prepare=configure) as here:
        for start in ("started", "loaded again"):
            here.run("t-select", id=start, title=f"When {start}")
            here.pi.wait_for(f"When {start}")
            here.pi.settle()
            here.pi.keys("down", "enter")
            assert here.log.result("t-select", start).value == "banana"
            here.pi.wait_gone(f"When {start}")
            here.reload()
        here.pi.settle()
        here.pi.line("/mirrord status")
        here.pi.wait_for("mirrored as session" if private == "not" else "private, because")
        assert quit_pi(here.pi) == 0
        assert here.recorder.accepted == (3 if private == "not" else 0)
