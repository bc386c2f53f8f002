"""Record sessions of the real Pi with `mirrord record`, for tests that lead clients through them.

    python -m tests.harness.record_sessions [NAME...]

It makes NAME.jsonl in fixtures/recordings, for each of SCENES unless some are named. Ids and times are those of the run; folders and
names are left out by the recorder.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mirrord.wire import messages as wire
from tests.e2e.stage import Stage, stage, until
from tests.harness.pi import FULLSCREEN, ROOT, environment

FOLDER: Final = ROOT / "fixtures" / "recordings"
PATIENCE: Final = 30.0


def prompts(here: Stage) -> None:
    """Every method once: answered from afar and at the terminal, cancelled, withdrawn by its time."""
    phone = here.remote("phone")
    here.run("t-select", id="fruit", title="Which fruit?")
    phone.answer(phone.prompt("Which fruit?").id, index=1)
    here.log.result("t-select", "fruit")
    here.run("t-confirm", id="delete", title="Delete file?")
    phone.prompt("Delete file?")
    here.pi.settle(0.2)
    here.pi.keys("enter")
    here.log.result("t-confirm", "delete")
    here.run("t-input", id="name", title="Your name")
    phone.answer(phone.prompt("Your name").id, value="typed freely")
    here.log.result("t-input", "name")
    here.run("t-editor", id="plan", title="Edit the plan")
    phone.answer(phone.prompt("Edit the plan").id, cancelled=True)
    here.log.result("t-editor", "plan")
    here.run("t-select", id="late", title="In time?", timeout=800)
    phone.prompt("In time?")
    here.log.result("t-select", "late")
    here.run("t-select", id="open", title="Still open?")
    phone.prompt("Still open?")


def surfaces(here: Stage) -> None:
    """Widgets in both places, statuses, a header, the working row, a notification; some of it changed, some cleared."""
    phone = here.remote("phone")
    here.run("t-widget", key="jobs", lines=["● Review", "○ Tests"])
    here.run("t-widget", key="notes", placement="belowEditor", lines=["remember the frost"])
    here.run("t-status", key="job", text="building")
    here.run("t-header", lines=["Garden 1.0"])
    phone.wait(wire.ExtensionUINotification, lambda told: told.method == "setHeader")
    here.run("t-title", title="tulips")
    here.run("t-working", message="Checking files…")
    here.run("t-notify", message="nearly done", type="warning")
    here.run("t-widget", key="jobs", lines=["✓ Review", "● Tests"])
    here.run("t-widget", key="notes")
    here.run("t-text", text="handed over")
    phone.wait(wire.ExtensionUINotification, lambda told: told.method == "set_editor_text")


def conversation(here: Stage) -> None:
    """A turn with a thought, one with a tool, a shell command; its texts are recorded."""
    phone = here.remote("phone")
    for line in ("think", "run: echo tulips"):
        here.pi.settle(0.2)
        phone.forget()
        here.pi.line(line)
        for state in ("working", "your_turn"):
            phone.wait(wire.SessionChanged, lambda told, state=state: told.session.status.state == state, PATIENCE)  # type: ignore[misc]
    here.pi.settle(0.3)
    here.pi.line("!echo from the shell")
    here.pi.settle(1.0)


SCENES: Final[Mapping[str, tuple[Callable[[Stage], None], tuple[str, ...]]]] = {
    "prompts": (prompts, ()),
    "surfaces": (surfaces, ()),
    "conversation": (conversation, ("--with-conversation",)),
}


@contextmanager
def recording(here: Stage, path: Path, *options: str) -> Iterator[None]:
    """What devices are told in the block, as a file."""
    path.unlink(missing_ok=True)
    recorder = subprocess.Popen(
        [sys.executable, "-P", "-m", "mirrord", "record", "-o", str(path), *options],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**environment(here.home), "PYTHONPATH": str(ROOT)},
        text=True,
    )

    def records() -> bool:
        status = here.daemon.status()
        return status is not None and any(client.name == "mirrord record" for client in status.clients)

    try:
        until(records, PATIENCE, "nothing is recorded")
        yield
    finally:
        recorder.send_signal(signal.SIGINT)
        said, complained = recorder.communicate(timeout=PATIENCE)
    assert recorder.returncode == 0, complained
    print(said)


def main(names: list[str]) -> None:
    """Play the scenes of these names, or all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or SCENES:
        scene, options = SCENES[name]
        with stage(FULLSCREEN) as here, recording(here, FOLDER / f"{name}.jsonl", *options):
            scene(here)


if __name__ == "__main__":
    main(sys.argv[1:])
