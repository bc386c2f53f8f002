"""Promise: who is said to show something is who docs/provenance.md says, on both generations of Pi."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from mirrord.wire import messages as wire
from tests.e2e.provenance_table import HELPERS, PAGE, PLACES, ROWS, Row, page
from tests.e2e.remote import Remote
from tests.e2e.stage import Stage, stage
from tests.harness.exerciser import slash
from tests.harness.pi import GENERATIONS, ROOT, PiKind

SPEAKER: Final = ROOT / "tests" / "harness" / "speaker.ts"


@dataclass(frozen=True, slots=True)
class Speaking:
    """Pi with all copies of the test extension, and a phone."""

    stage: Stage
    phone: Remote

    def run(self, command: str, **arguments: object) -> None:
        self.stage.pi.settle(0.05)
        self.stage.pi.line(slash(command, **arguments))

    def source(self, key: str) -> str | None:
        """Who is said to have set this status, once it is there."""

        def is_it(told: wire.ExtensionUINotification) -> bool:
            return told.method == "setStatus" and told.status_key == key

        return self.phone.wait(wire.ExtensionUINotification, is_it).source


@pytest.fixture(scope="module", params=[pytest.param(kind, id=f"{kind}+speaks") for kind in GENERATIONS])
def speaking(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Speaking]:
    kind: PiKind = request.param
    root = tmp_path_factory.mktemp("provenance")
    text = SPEAKER.read_text()
    for name, place in PLACES.items():
        _write(root / place, text.replace('NAME = "speaker"', f'NAME = "{name}"'))
    for place, helper in HELPERS.items():
        _write(root / place, helper)
    with stage(kind, extensions=[root / place for place in PLACES.values()]) as here:
        yield Speaking(here, here.remote("phone"))


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize("row", ROWS, ids=[row.case.replace("`", "").replace(" ", "_") for row in ROWS])
def test_it_is_who_the_page_says(speaking: Speaking, row: Row) -> None:
    if row.how == "event":
        statuses = speaking.phone.subscribe(speaking.stage.session_id).statuses
        assert [status.source for status in statuses if status.key == f"event-{row.name}"] == [row.source]
        return
    if row.how == "tool":
        speaking.stage.pi.line(f"tool: tool_{row.name} {{}}")
        assert speaking.source(f"tool-{row.name}") == row.source
        return
    key = f"{row.name}-{row.how}{'-wrapped' if row.wrapped else ''}"
    if row.wrapped:
        speaking.run("wrap-wrapper")
    try:
        speaking.run(f"say-{row.name}", how=row.how, key=key)
        assert speaking.source(key) == row.source
    finally:
        if row.wrapped:
            speaking.run("unwrap-wrapper")


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == page(), "write it anew: python -m tests.e2e.provenance_table"
