"""Record the real Pi in each of its menus, for `fixtures/screen`.

    python -m tests.bridge.screen.record_screens [SCENE [KIND [COLUMNSxROWS]]]

makes SCENE-piVERSION-MODE-COLUMNSxROWS.bin and .json for each that is not left out. `scenes.py` says what is done.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from mirrord.demo.pi_home import PiHome
from mirrord.demo.screen import Screen
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.demo.terminal import NotShown, Terminal
from tests.bridge.screen.scenes import SCENES, Scene, Step
from tests.harness.pi import EXERCISER, FULLSCREEN, KINDS, ROOT, PiKind, command, environment, ready
from tests.harness.record import Mark, Sidecar

FOLDER: Final = ROOT / "fixtures" / "screen"
TYPED: Final = Path(__file__).with_name("typed.ts")
HOME: Final = Path("/tmp/demo")
"""The same for each run, and nobody's."""
PATIENCE: Final = 20.0
BETWEEN_ESCAPES: Final = 0.7
"""Two within half a second open the tree."""
STARTING: Final = 4.0
"""How long a starting Pi may draw nothing before it is taken to be ready."""
NARROW: Final = 20
"""Columns of a terminal that does not show what `ready` waits for."""
SIZES: Final = {
    "menus": ("100x30", "60x20"),
    "small": ("20x5", "40x8"),
    "trust-at-start": ("100x30", "60x20"),
    "resume-at-start": ("100x30",),
}


def play(terminal: Terminal, step: Step) -> None:
    """Does what the step says; NotShown when the screen does not come to show it."""
    for key in step.before:
        terminal.keys(key)
        terminal.settle(BETWEEN_ESCAPES, PATIENCE)
    if step.line:
        terminal.send(step.line)
        terminal.settle(0.2, PATIENCE)
        terminal.keys("enter")
    if step.text:
        terminal.send(step.text)
    for key in step.keys:
        terminal.settle(0.2, PATIENCE)
        terminal.keys(key)
    if step.shows:
        terminal.wait_for(re.compile(step.shows, re.MULTILINE), PATIENCE)
    terminal.settle(0.3, PATIENCE)


def home_for(scene: Scene, base_url: str) -> PiHome:
    """A new home with a project that asks for trust and a stored credential."""
    shutil.rmtree(HOME, ignore_errors=True)
    home = PiHome.make(HOME, base_url, scene.settings)
    (home.work / ".pi").mkdir()
    (home.work / ".pi" / "settings.json").write_text("{}")
    (home.work / ".pi" / "extensions").mkdir()
    (home.agent / "auth.json").write_text('{"openai": {"type": "api_key", "key": "not-a-secret"}}')
    return home


def record(kind: PiKind, scene: Scene, columns: int, rows: int) -> tuple[bytes, Sidecar]:
    """All that Pi wrote, and its marks."""
    marks: list[Mark] = []
    screens: dict[str, list[str]] = {}
    with ScriptedModel() as model:
        home = home_for(scene, model.base_url)
        words = [word for extension in (EXERCISER, TYPED) for word in ("--extension", str(extension))]
        argv = command(kind, *words, *scene.arguments)
        with Terminal(argv, env=environment(home), cwd=home.work, columns=columns, rows=rows) as terminal:
            if scene.starts and columns > NARROW:
                ready(terminal)
            terminal.settle(STARTING, PATIENCE)
            for step in (Step("none:start"), *scene.steps) if scene.starts else scene.steps:
                if step.only and kind.version not in step.only:
                    continue
                try:
                    play(terminal, step)
                except NotShown as error:
                    print(f"{step.mark}: {error}", file=sys.stderr)
                data = terminal.output()
                marks.append(Mark(step.mark, len(data)))
                screen = Screen(columns, rows)
                screen.feed(data)
                screens[step.mark] = screen.text().split("\n")
            data = terminal.output()[: marks[-1].offset]
    mode = "fullscreen" if kind is FULLSCREEN else "regular"
    with suppress(OSError):
        shutil.rmtree(HOME)
    return data, Sidecar(kind.version, mode, columns, rows, {}, False, len(data), marks, screens)


def main(arguments: Sequence[str]) -> int:
    """The command line; gives the exit status."""
    scene_name, kind_name, only_size = [*arguments, None, None, None][:3]
    FOLDER.mkdir(parents=True, exist_ok=True)
    for scene in SCENES:
        for kind in KINDS:
            for size in SIZES[scene.name]:
                if scene_name not in (None, scene.name) or kind_name not in (None, kind.name) or only_size not in (None, size):
                    continue
                if scene.only and kind.version not in scene.only:
                    continue
                columns, rows = map(int, size.split("x"))
                data, sidecar = record(kind, scene, columns, rows)
                file = FOLDER / f"{scene.name}-pi{sidecar.pi}-{sidecar.tui_mode}-{size}.bin"
                file.write_bytes(data)
                file.with_suffix(".json").write_bytes(msgspec.json.format(msgspec.json.encode(sidecar), indent=1) + b"\n")
                print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
