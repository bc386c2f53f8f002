"""Promise (design FIXED 8): the agent cannot approve itself. A tool call, its background child and one that forked twice try every door."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from mirrord.client import Devices
from mirrord.wire import messages as wire
from tests.e2e.stage import QUIET, stage, until
from tests.harness.pi import FULLSCREEN, ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(150)]

INTRUDER = ROOT / "tests" / "harness" / "intruder.py"
TRIES = 30.0
FORBIDDEN = ("index", "cancel", "pair", "pair_code", "devices", "device_rename", "device_revoke", "stop", "stop_turn", "status")


@pytest.mark.parametrize("how", ["direct", "background", "double"])
def test_a_program_that_the_agent_started_answers_nothing_by_any_door(how: str, tmp_path: Path) -> None:
    notes_file = tmp_path / "notes.json"
    with stage(FULLSCREEN, config=QUIET) as here:
        phone = here.remote("phone")
        status = here.daemon.status()
        assert status is not None
        paths = here.daemon.paths
        words = [
            "env",
            f"PYTHONPATH={ROOT}",
            sys.executable,
            INTRUDER,
            paths.control_socket,
            paths.bridge_socket,
            status.url,
            here.pi.pid,
            notes_file,
        ]
        command = shlex.join(map(str, [*words, "double" if how == "double" else "direct"]))
        here.pi.line(f"run: {command}{' > /dev/null 2>&1 &' if how == 'background' else ''}")
        phone.wait(wire.SessionChanged, lambda changed: changed.session.status.state == "working")
        here.pi.keys("ctrl+alt+k")
        request = phone.wait(wire.ExtensionUIRequest, lambda asked: asked.title == "From a shortcut")
        until(notes_file.exists, TRIES, "the intruder said nothing")
        notes = json.loads(notes_file.read_text())
        assert not [name for name in notes if name.startswith("error")], notes
        assert (notes["role"], notes["prompt"]) == ("observer", request.id)
        assert "look but not answer" in notes["notice"]
        assert {name: notes[name] for name in FORBIDDEN} == dict.fromkeys(FORBIDDEN, "forbidden")
        assert {notes[name] for name in ("no token", "guess", "empty")} == {"401"}
        assert (notes["no code"], notes["no key"]) == ("no_code", "unknown_device")
        assert notes["bridge"] == "refused"
        assert (notes["own bridge"], notes["pair_code over it"]) == ("welcome", "pair_code_refused")
        assert [device.name for device in here.daemon.ask("devices", Devices).devices] == ["phone"]
        # Nothing of it has settled the prompt; the person's own device does.
        assert not phone.all(wire.ExtensionUISettled)
        assert phone.answer(request.id, index=1).accepted
        assert here.log.result("shortcut").value == "banana"
