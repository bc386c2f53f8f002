"""Promise: however often the person types /reload, the extension holds no more than after the first one and says everything once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import msgspec
import pytest

from bridge.messages import Activity, ConversationChanged, Hello, Notification, PromptOpened, PromptSettled, Status, Title
from tests.e2e.recorded import Recorded, recorded
from tests.harness.extension_copy import ORIGINAL
from tests.harness.pi import GENERATIONS, OLD, ROOT, PiKind, quit_pi

PROBE: Final = ROOT / "tests" / "harness" / "probe.ts"
RELOADS: Final = 50
# Caches of Pi and Node are filled by then.
FIRST: Final = 5
MANY: Final = (RELOADS - FIRST) // 2
# Sockets of earlier generations are let go 1 s after a reload.
LET_GO: Final = 1.3


class Count(msgspec.Struct, frozen=True):
    """See probe.ts."""

    listeners: dict[str, int]
    resources: dict[str, int]
    depths: dict[str, int]


def probe(here: Recorded, id: str) -> Count:
    here.pi.settle(LET_GO)
    here.pi.line(f'/probe {{"id": "{id}"}}')
    return msgspec.convert(here.log.result("probe", id).value, Count)


def open_sockets(pid: int) -> int:
    """Descriptors of the process that are sockets."""
    return sum(str(link.readlink()).startswith("socket:") for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink())


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_fifty_reloads_leave_nothing_behind_and_each_event_is_told_once(kind: PiKind) -> None:
    with recorded(kind, extensions=[PROBE, ORIGINAL]) as here:
        for _ in range(FIRST):
            here.reload()
        before, sockets = probe(here, "before"), open_sockets(here.pi.pid)
        for _ in range(RELOADS - FIRST):
            here.reload()
        after = probe(here, "after")
        assert (after.listeners, after.depths) == (before.listeners, before.depths)
        # Pi has timers of its own that come and go; ours would be 45 more by now.
        assert after.resources.keys() <= before.resources.keys()
        assert all(number < before.resources[name] + MANY for name, number in after.resources.items()), (before, after)
        assert open_sockets(here.pi.pid) == sockets
        here.recorder.wait(Hello, lambda hello: hello.bridge.generation == RELOADS + 1)
        here.recorder.wait_standing(1)
        assert_told_once(here, kind)
        assert quit_pi(here.pi) == 0
        assert here.recorder.broken == []


def assert_told_once(here: Recorded, kind: PiKind) -> None:
    already = len(here.recorder.heard())
    here.run("t-status", key="job", text="building")
    here.run("t-title", title="a title")
    here.run("t-notify", message="noted")
    here.run("t-select", title="Once?")
    here.recorder.answer(here.recorder.prompt("Once?"), index=1)
    assert here.log.result("t-select").value == "banana"
    here.pi.settle(0.05)
    here.pi.line("hello")
    here.recorder.wait(Activity, lambda activity: activity.cause == "turn_end")
    here.recorder.wait(Activity, lambda activity: activity.cause == ("agent_end" if kind is OLD else "agent_settled"))
    new = here.recorder.heard()[already:]
    assert {heard.connection for heard in new} == {here.recorder.accepted}
    messages = [heard.message for heard in new]
    assert Counter(type(message) for message in messages if not isinstance(message, Activity)) == {
        ConversationChanged: 1,  # its first message came
        Status: 1,
        Title: 1,
        Notification: 1,
        PromptOpened: 1,
        PromptSettled: 1,
    }
    end = "agent_end" if kind is OLD else "agent_settled"
    activities = Counter(message.cause for message in messages if isinstance(message, Activity))
    assert activities == {"agent_start": 1, "turn_start": 1, "turn_end": 1, end: 1}
