"""Promise: the example for authors runs in both generations of Pi, with us and without, and arrives as the blocks it describes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from mirrord.demo.pi_home import PiHome
from mirrord.wire import messages as wire
from mirrord.wire.surfaces import Surface
from tests.e2e.showing import comes, plain
from tests.e2e.stage import Stage, stage
from tests.harness.pi import GENERATIONS, ROOT, PiKind, running_pi

EXAMPLE: Final = ROOT / "examples" / "jobs.ts"
NAMES: Final = ("Lint", "Test", "Package")
OVER: Final = 15.0
"""Four times what the pretended jobs take, in seconds."""

DONE: Final = {
    "version": 1,
    "id": "widget:jobs",
    "source": "widget",
    "presentation": {"style": "surfacePanel", "title": "Jobs", "subtitle": "3 of 3 done"},
    "blocks": [
        {"type": "activityList", "id": "rows", "rows": [{"id": name.lower(), "title": name, "state": "success"} for name in NAMES]},
        {"type": "progress", "id": "all", "label": "All of them", "value": 1.0},
        {
            "type": "text",
            "spans": [{"text": "They pretend. ", "role": "muted"}, {"text": "What jobs are", "link": "https://example.org/jobs"}],
        },
    ],
    "fallback": {"lines": [f"✓ {name}" for name in NAMES]},
}


@pytest.fixture(params=GENERATIONS, ids=str)
def here(request: pytest.FixtureRequest) -> Iterator[Stage]:
    kind: PiKind = request.param
    with stage(kind, extensions=(EXAMPLE,)) as stands:
        yield stands


def test_its_jobs_arrive_as_rows_that_change_and_go(here: Stage) -> None:
    phone = here.remote("phone")

    def surfaces() -> list[Surface]:
        return list(phone.subscribe(here.session_id).surfaces)

    here.run("jobs")
    phone.wait(wire.ExtensionUINotification, lambda told: told.message == "All jobs are done.", OVER)
    comes(lambda: [plain(surface.native_surface) for surface in surfaces()], [DONE])
    (surface,) = surfaces()
    assert surface.widget_lines == ("Jobs: 3 of 3 done", *(f"✓ {name}" for name in NAMES))
    assert surface.source == "jobs"
    states = [
        tuple(row.state for row in (told.native_surface.blocks[0].rows or ()))
        for told in phone.all(wire.ExtensionUINotification, lambda told: told.widget_key == "jobs")
        if told.native_surface is not None
    ]
    assert ("running", "queued", "queued") in states
    assert ("success", "running", "queued") in states
    strips = phone.subscribe(here.session_id).strips
    assert strips is not None
    assert [(pill.label, pill.status) for pill in strips.above] == [("Jobs · 3 of 3 done", "finished")]
    here.pi.line("/jobs clear")
    comes(surfaces, [])
    comes(lambda: phone.subscribe(here.session_id).statuses, ())


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_in_plain_pi_it_is_a_widget_as_any_other(kind: PiKind, home: PiHome) -> None:
    with running_pi(kind, home, extensions=(EXAMPLE,), columns=40) as pi:
        pi.line("/jobs")
        pi.wait_for("✓ Package", OVER)
        pi.line("/jobs clear")
        pi.wait_gone("✓ Package")
        assert pi.alive
