"""Pi with our extension and, in the daemon's place, a recorder that keeps every message of the bridge wire.

For promises about what the extension says and how often; what a daemon makes of it is told in other tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from mirrord.demo.pi_home import PiHome, temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.demo.terminal import Terminal
from tests.harness.exerciser import ExerciserLog, Record, slash
from tests.harness.pi import EXERCISER, ROOT, STARTED, PiKind, running_pi
from tests.harness.recorder import Recorder

DOORBELL: Final = ROOT / "tests" / "harness" / "doorbell.ts"
"""To be loaded where `ring` is used."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What stands while a recorded Pi runs."""

    kind: PiKind
    home: PiHome
    model: ScriptedModel
    log: ExerciserLog
    recorder: Recorder
    pi: Terminal

    def run(self, command: str, **arguments: object) -> None:
        """Types a command of a test extension; the screen rests first, so that Pi takes it as one line."""
        self.pi.settle(0.05)
        self.pi.line(slash(command, **arguments))

    def ring(self, do: str, **arguments: object) -> None:
        """Has the doorbell extension do it, whatever has the keyboard. Its result is logged as "bell"."""
        new = self.home.root / "bell.new"
        new.write_bytes(msgspec.json.encode({"do": do, **arguments}))
        new.rename(self.home.root / "bell")

    def reload(self) -> None:
        """Types /reload and returns once the extensions were loaded anew: Pi may have to turn them into JavaScript first."""
        before = sum(map(_is_reload, self.log.records()))
        self.pi.settle(0.05)
        self.pi.line("/reload")
        self.log.wait(_is_reload, STARTED, count=before + 1)

    def attach(self, extension: Path) -> None:
        """Names it in Pi's settings and types /reload."""
        settings = msgspec.json.decode(self.home.settings_file.read_bytes(), type=dict[str, Any])
        self.home.settings_file.write_bytes(msgspec.json.encode({**settings, "extensions": [str(extension)]}))
        self.reload()


@contextmanager
def recorded(
    kind: PiKind,
    *arguments: str,
    extensions: Sequence[Path] = (),
    in_settings: Sequence[Path] = (),
    env: Mapping[str, str] | None = None,
    prepare: Callable[[PiHome], Mapping[str, str]] | None = None,
) -> Iterator[Recorded]:
    """A recorded Pi that takes keys: `extensions` by -e in this order, then those `in_settings`, then the exerciser by -e.

    The exerciser is in the settings too when any is, so that the children of this Pi have it. `prepare` fills the home
    before Pi starts and may add to the environment.
    """
    settings = [*in_settings, EXERCISER] if in_settings else []
    named = [*extensions] if in_settings else [*extensions, EXERCISER]
    with (
        ScriptedModel() as model,
        temporary_pi_home(model.base_url, {"extensions": [str(path) for path in settings]}) as home,
        Recorder(home) as recorder,
    ):
        log = ExerciserLog(home.root / "exerciser.jsonl")
        more = prepare(home) if prepare else {}
        whole = {**log.environment(), "DOORBELL": str(home.root / "bell"), **more, **(env or {})}
        with running_pi(kind, home, *arguments, extensions=named, env=whole) as pi:
            yield Recorded(kind, home, model, log, recorder, pi)


def _is_reload(record: Record) -> bool:
    return record.event == "session_start" and record.reason == "reload"
