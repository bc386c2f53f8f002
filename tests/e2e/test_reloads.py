"""Promise: however often the person types /reload, the extension holds no more than after the first one and says everything once.

In both start modes: named when Pi starts, or in Pi's settings and loaded by the first /reload.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import msgspec
import pytest

from bridge.chat import ChatConfirm, ChatDelta, ChatQueue, ChatRowTold, ChatState
from bridge.messages import Activity, ConversationChanged, Hello, Notification, PromptOpened, PromptSettled, Status, Title
from tests.e2e.recorded import Recorded, recorded
from tests.e2e.stage import Start
from tests.harness.extension_copy import ORIGINAL
from tests.harness.pi import GENERATIONS, OLD, ROOT, PiKind, quit_pi

PROBE: Final = ROOT / "tests" / "harness" / "probe.ts"
RELOADS: Final = 50
# Caches of Pi and Node are filled by then.
FIRST: Final = 5
# Sockets of earlier generations are let go 1 s after a reload.
LET_GO: Final = 1.3


class Count(msgspec.Struct, frozen=True):
    """See probe.ts."""

    listeners: dict[str, int]
    resources: dict[str, int]
    timers: dict[str, int]
    depths: dict[str, int]

    def held(self) -> object:
        """What must be the same however often we were loaded. Pi has timers of its own, which come and go."""
        handles = {name: number for name, number in self.resources.items() if name != "Timeout"}
        return self.listeners, handles, self.timers, self.depths


def probe(here: Recorded, id: str) -> Count:
    here.pi.settle(LET_GO)
    here.pi.line(f'/probe {{"id": "{id}"}}')
    return msgspec.convert(here.log.result("probe", id).value, Count)


def open_sockets(pid: int) -> int:
    """Descriptors of the process that are sockets."""
    return sum(str(link.readlink()).startswith("socket:") for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink())


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
@pytest.mark.parametrize("start", ["-e", "attach"], ids=["e", "settings"])
def test_fifty_reloads_leave_nothing_behind_and_each_event_is_told_once(kind: PiKind, start: Start) -> None:
    with recorded(kind, extensions=[PROBE] if start == "attach" else [PROBE, ORIGINAL]) as here:
        if start == "attach":
            here.attach(ORIGINAL)
            # 0.73.1 shows that it runs in a terminal by what is done there.
            probe(here, "attached")
            here.recorder.wait(Hello)
        already = here.recorder.count(PromptOpened)
        for _ in range(FIRST):
            here.reload()
        before, sockets = probe(here, "before"), open_sockets(here.pi.pid)
        # Were ours not told from Pi's, none would be found.
        assert before.timers
        for _ in range(RELOADS - FIRST):
            here.reload()
        after = probe(here, "after")
        assert after.held() == before.held()
        assert open_sockets(here.pi.pid) == sockets
        here.recorder.wait(Hello, lambda hello: hello.bridge.generation == RELOADS + 1)
        here.recorder.wait_standing(1)
        # The second probe asked too, and its end may still be on its way.
        here.recorder.settlement(here.recorder.wait(PromptOpened, count=already + 2))
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
    # How often these come is a matter of pace.
    paced = (Activity, ChatState, ChatQueue, ChatRowTold, ChatDelta)
    assert Counter(type(message) for message in messages if not isinstance(message, paced)) == {
        ConversationChanged: 1,  # its first message came
        Status: 1,
        Title: 1,
        Notification: 1,
        PromptOpened: 1,
        PromptSettled: 1,
        ChatConfirm: 2,  # what the person wrote, and the answer
    }
    rows = {message.row.live_id or message.row.id for message in messages if isinstance(message, ChatRowTold)}
    assert len(rows) == 2
    end = "agent_end" if kind is OLD else "agent_settled"
    activities = Counter(message.cause for message in messages if isinstance(message, Activity))
    assert activities == {"agent_start": 1, "turn_start": 1, "turn_end": 1, end: 1}
