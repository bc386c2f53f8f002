"""Promise: a dialog that Pi took away on a /reload ends when its caller's signal fires, as it does without us, and costs no draft.

On both generations of Pi.
"""

from __future__ import annotations

from typing import Final

import pytest

from bridge.messages import PromptSettled
from tests.e2e.recorded import DOORBELL, Recorded, recorded
from tests.harness.pi import ALL, GENERATIONS, ROOT, PiKind

EXTENSION: Final = ROOT / "bridge" / "extension" / "index.ts"
CANCELLED: Final = {"select": None, "confirm": False, "input": None, "ask": {"answers": {}, "allIgnored": True}}
"""What a caller gets of each method that takes a signal."""
DRAFT: Final = "written after the reload"


def reload_under_dialogs(here: Recorded) -> None:
    """One dialog of each method is open, with a signal where it takes one, when the extensions are loaded anew."""

    def reloaded() -> int:
        return sum(record.event == "session_start" and record.reason == "reload" for record in here.log.records())

    here.run("t-all", id="late", then="reload", kept=True)
    prompts = [here.recorder.prompt(f"late {method}") for method in (*CANCELLED, "editor", "custom")]
    count = reloaded()
    new = here.log.file.with_name("go.new")
    new.write_text("go")
    new.rename(here.log.file.with_name(f"{here.log.file.name}.go"))
    here.log.wait(lambda record: record.event == "session_start" and record.reason == "reload", count=count + 1)
    for prompt in prompts:
        here.recorder.settlement(prompt)


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_a_signal_that_fires_after_a_reload_ends_what_waits_for_it(kind: PiKind) -> None:
    with recorded(kind, extensions=[DOORBELL, ALL, EXTENSION]) as here:
        reload_under_dialogs(here)
        here.pi.settle(0.1)
        here.pi.send(DRAFT)
        here.pi.wait_for(DRAFT)
        here.ring("abort", id="fires")
        here.log.result("bell", "fires")
        for method, value in CANCELLED.items():
            assert here.log.result(method, "late").value == value
        here.pi.settle(0.1)
        assert DRAFT in here.pi.screen_text()
        # The extensions that were loaded anew tell it again.
        assert {settled.reason for settled in here.recorder.all(PromptSettled)} == {"reload"}
