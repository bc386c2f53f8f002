"""Promise: a session without a name is known by what the person wrote first, and that stays when they write more."""

from __future__ import annotations

import pytest

from tests.e2e.stage import Stage, stage, until
from tests.harness.pi import GENERATIONS, PiKind

TOLD = 10.0


def first_message(here: Stage) -> str | None:
    (session,) = here.sessions()
    return session.first_message


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_a_session_is_known_by_its_first_message(kind: PiKind) -> None:
    with stage(kind) as here:
        here.wait_session()
        assert first_message(here) is None
        here.pi.line("Plan the tulip beds")
        until(lambda: first_message(here) == "Plan the tulip beds", TOLD, "the first message is not told")
        until(lambda: here.sessions()[0].status.state != "working", TOLD, "the agent does not rest")
        here.pi.settle(0.2)
        here.pi.line("And the roses")
        here.pi.settle(0.5)
        assert first_message(here) == "Plan the tulip beds"
