"""Record what the real Pi's extension tells of a conversation, together with what a client sends meanwhile, for tests that play it again.

    python -m tests.harness.chat_recording [FILE]

FILE is fixtures/chat/runs/pi-1.6.0.jsonl otherwise. Its lines are in the order in which they came: a message of the extension, whole
(`told`), or a message that a client submits (`submitted`). The model is scripted and the folders are private; what names them is replaced.
"""

from __future__ import annotations

import base64
import shutil
import sys
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from bridge.chat import (
    Action,
    ActionResult,
    ChatQueue,
    ChatRemove,
    ChatReset,
    ChatRowTold,
    ChatState,
    RowState,
    Turn,
    TurnKind,
    TurnResult,
)
from bridge.messages import By, Hello, Ping, Pong
from mirrord.demo.pi_home import SETTINGS, PiHome
from tests.e2e.recorded import Recorded, recorded
from tests.harness.pi import FULLSCREEN, ROOT

RUN: Final = ROOT / "fixtures" / "chat" / "runs" / "pi-1.6.0.jsonl"
BYTES: Final = 64 * 1024
"""At most, as the extension sends it: a test cuts it at every byte."""

HERE: Final = ROOT / "tests" / "harness"
EXTENSION: Final = ROOT / "bridge" / "extension" / "index.ts"
BY: Final = By(name="phone", kind="test")
WAIT: Final = 20.0

RETRIES_AND_COMPACTS: Final[Mapping[str, object]] = {
    "retry": {"enabled": True, "maxRetries": 1, "baseDelayMs": 300},
    "compaction": {"enabled": True, "keepRecentTokens": 1},
}

TULIP: Final = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
"""An image of one dot."""


class Submitted(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A client submits this."""

    client_turn_id: str
    kind: TurnKind
    text: str


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of a recording: one of the two."""

    told: dict[str, Any] | None = None
    submitted: Submitted | None = None


class Script:
    """What is typed and sent, and when it is done."""

    def __init__(self, here: Recorded) -> None:
        self.here = here
        self.sent: list[tuple[int, Submitted]] = []

    def play(self) -> None:
        """Every kind of message once, and what goes wrong."""
        self.types("think")
        self.types("run: for i in 1 2 3; do echo line$i; sleep 0.3; done", "tool")
        (self.here.home.work / "tulip.png").write_bytes(TULIP)
        self.types('tool: read {"path": "tulip.png"}', "tool")
        self.here.pi.line("!echo from the shell")
        self.row("bash")
        self.here.pi.settle(0.3)
        self.here.pi.line("/custom The frost comes tonight.")
        self.row("custom")
        self.consumed(self.sends("Plan the beds \N{TULIP}"))
        self.rests()
        self.queues()
        self.types("fail", "assistant", "error")
        self.consumed(self.sends("/name Garden", "command"))
        self.consumed(self.sends("echo from afar", "bash"))
        self.here.pi.settle(0.3)
        self.here.pi.line("/compact")
        self.row("compaction")
        self.types("after it")
        self.moves()
        self.here.pi.settle(0.3)
        self.here.pi.line("slow 200 20")
        self.here.pi.wait_for("word9")
        self.here.pi.keys("escape")
        self.row("assistant", "aborted")
        self.rests()
        self.loses()

    def queues(self) -> None:
        """A turn runs; the person and a client have something to add."""
        self.consumed(self.sends("slow 60 25"))
        self.here.pi.wait_for("word5")
        self.here.pi.line("north first")
        steered = self.sends("then the roses", "steer")
        follows = self.sends("and water", "follow_up")
        self.here.recorder.wait(ChatQueue, lambda queue: len(queue.items) == 3, timeout=WAIT)
        self.consumed(steered)
        self.consumed(follows)
        self.rests()

    def moves(self) -> None:
        """A client goes back in the tree, to what was before the last answer, which is summed up."""
        rows = [told.row for told in self.here.recorder.all(ChatRowTold)]
        back = next(row.id for row in reversed(rows) if row.kind == "bash" and row.entry_id)
        self.here.recorder.say(Action(seq=0, request_id="back", name="navigate_tree", by=BY, args={"entryId": back, "summarize": True}))
        self.boundary("tree")
        self.row("branch_summary")

    def loses(self) -> None:
        """Pi's folder is gone: a shell command begins and comes to nothing."""
        shutil.rmtree(self.here.home.work)
        self.here.pi.settle(0.3)
        self.here.pi.line("!echo nowhere")
        self.here.recorder.wait(ChatRemove, timeout=WAIT)
        self.rests()

    # ---- steps -------------------------------------------------------------------------------------------------------

    def types(self, text: str, kind: str = "assistant", state: RowState = "done") -> None:
        """The person types a line; done once Pi rests again and such a row came."""
        self.here.pi.settle(0.2)
        self.here.pi.line(text)
        self.row(kind, state)
        self.rests()

    def sends(self, text: str, kind: TurnKind = "prompt") -> str:
        """A client sends."""
        submitted = Submitted(str(uuid.uuid4()), kind, text)
        self.sent.append((len(self.here.recorder.heard()), submitted))
        self.here.recorder.say(Turn(seq=0, client_turn_id=submitted.client_turn_id, kind=kind, by=BY, text=text))
        return submitted.client_turn_id

    def consumed(self, turn: str) -> None:
        self.here.recorder.wait(TurnResult, lambda result: (result.client_turn_id, result.stage) == (turn, "consumed"), timeout=WAIT)

    def row(self, kind: str, state: RowState = "done") -> None:
        self.here.recorder.wait(ChatRowTold, lambda told: (told.row.kind, told.row.state) == (kind, state), timeout=WAIT)

    def boundary(self, reason: str) -> None:
        self.here.recorder.wait(ChatReset, lambda reset: reset.reason == reason, timeout=WAIT)

    def rests(self) -> None:
        """Pi has told that it rests, and nothing more comes."""
        heard = -1
        while heard != len(self.here.recorder.heard()) or not self.here.recorder.all(ChatState)[-1].idle:
            heard = len(self.here.recorder.heard())
            self.here.pi.settle(0.4)

    def lines(self) -> Iterator[Line]:
        """What came, in its order, in places of nobody's."""
        sent = list(self.sent)
        for number, heard in enumerate(self.here.recorder.heard()):
            while sent and sent[0][0] <= number:
                yield Line(submitted=sent.pop(0)[1])
            if not isinstance(heard.message, Ping | Pong | ActionResult):
                yield Line(told=self.nobodys(msgspec.json.encode(heard.message)))

    def nobodys(self, message: bytes) -> dict[str, Any]:
        """The message without what is this machine's."""
        root = str(self.here.home.root)
        # Pi names the folder of a session's file after the folder that it works in.
        for place, other in ((root, "/home/ada"), (root.strip("/").replace("/", "-"), "home-ada"), (str(ROOT), "/opt/mirrord")):
            message = message.replace(place.encode(), other.encode())
        said: dict[str, Any] = msgspec.json.decode(message)
        return said


def settings(home: PiHome) -> Mapping[str, str]:
    """This Pi tries again and compacts little."""
    home.settings_file.write_bytes(msgspec.json.encode({**SETTINGS, **RETRIES_AND_COMPACTS}))
    return {}


def read(path: Path) -> tuple[Line, ...]:
    """The lines of a recording."""
    return tuple(msgspec.json.decode(line, type=Line) for line in path.read_bytes().splitlines())


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RUN
    with recorded(FULLSCREEN, extensions=[EXTENSION, HERE / "says_custom.ts"], prepare=settings) as here:
        here.recorder.wait(Hello, lambda hello: "chat" in hello.capabilities)
        script = Script(here)
        try:
            script.play()
        except TimeoutError:
            print(here.pi.screen_text(), file=sys.stderr)
            raise
        lines = tuple(script.lines())
    assert here.recorder.accepted == 1, "one link"
    told = sum(len(msgspec.json.encode(line.told)) + 1 for line in lines if line.told)
    assert told <= BYTES, f"{told} bytes are more than {BYTES}"
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    print(f"{path}: {len(lines)} lines, {told} bytes")


if __name__ == "__main__":
    main()
