"""Promise: the status of a session is what the real Pi does, with the words that it says of it itself, and of an age that Pi knows."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mirrord.wire import messages as wire
from tests.e2e.signed_out import sign_out
from tests.e2e.stage import Stage, is_reload, stage, until
from tests.harness.pi import GENERATIONS, PiKind

pytestmark = [pytest.mark.parametrize("kind", GENERATIONS, ids=str), pytest.mark.timeout(120)]

WAIT = 20.0
RETRIES = {"retry": {"enabled": True, "maxRetries": 2, "baseDelayMs": 1500}}


def status(here: Stage) -> wire.Status:
    known = here.daemon.ask("status", dict[str, Any])
    (session,) = (each for each in known["sessions"] if each["sessionId"] == here.session_id)
    return msgspec.convert(session["status"], wire.Status)


def becomes(here: Stage, state: str) -> wire.Status:
    until(lambda: status(here).state == state, WAIT, f"it is not {state}")
    return status(here)


def test_work_ends_with_the_answers_last_line_and_told_again_it_is_as_old_as_it_was(kind: PiKind) -> None:
    with stage(kind) as here:
        assert status(here).state == "idle"
        here.pi.line("slow 20 40")
        working = becomes(here, "working")
        ended = becomes(here, "your_turn")
        assert (working.source, ended.source, ended.detail) == ("pi", "pi", " ".join(f"word{number}" for number in range(20)))
        assert working.since <= ended.since
        here.daemon.end()
        here.daemon.start()
        until(lambda: bool(here.daemon.ask("status", dict[str, Any])["sessions"]), WAIT, "the session does not come back")
        again = becomes(here, "your_turn")
        assert (again.since, again.detail) == (ended.since, ended.detail)


def test_what_fails_is_retried_and_then_failed_in_the_servers_words(kind: PiKind) -> None:
    with stage(kind, settings=RETRIES) as here:
        here.pi.line("fail please")
        retrying = becomes(here, "retrying")
        assert retrying.detail is not None
        assert retrying.detail.startswith(("1 of 2: ", "2 of 2: "))
        failed = becomes(here, "failed")
        assert "scripted failure" in (failed.detail or "")
        assert failed.since >= retrying.since


def test_a_reload_ends_no_turn(kind: PiKind) -> None:
    with stage(kind) as here:
        phone = here.remote("phone")
        here.pi.line("fail please")
        failed = becomes(here, "failed")
        here.pi.settle(0.1)
        here.pi.line("/reload")
        here.log.wait(is_reload)
        # The new load of the extension tells this, after its state.
        here.run("t-notify", message="after the reload")
        phone.wait(wire.ExtensionUINotification, lambda told: told.message == "after the reload", WAIT)
        again = status(here)
        assert (again.state, again.since, again.detail) == ("failed", failed.since, failed.detail)


def test_a_pi_that_is_signed_out_says_so_in_its_own_words(kind: PiKind, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_out(monkeypatch)
    with stage(kind) as here:
        until(lambda: status(here).detail is not None, WAIT, "it does not say why it cannot work")
        said = status(here)
        assert said.state == "idle"
        assert (said.detail or "").startswith("No API key found for the selected model.")
        here.pi.line("hello")
        here.pi.wait_for("Error: No API key found for the selected model.", WAIT)
