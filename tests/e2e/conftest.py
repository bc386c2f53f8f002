"""What every test with the real Pi needs: a scripted model, and a home that is the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mirrord.demo.pi_home import PiHome, temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from tests.e2e.play import Play
from tests.e2e.showing import Showing
from tests.e2e.stage import Start, stage
from tests.harness.exerciser import ExerciserLog
from tests.harness.pi import ALL, EXERCISER, GENERATIONS, KINDS, PiKind


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.e2e)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


@pytest.fixture
def home(model: ScriptedModel) -> Iterator[PiHome]:
    with temporary_pi_home(model.base_url) as home:
        yield home


@pytest.fixture
def log(home: PiHome) -> ExerciserLog:
    return ExerciserLog(home.root / "exerciser.jsonl")


@pytest.fixture(params=KINDS, ids=str)
def kind(request: pytest.FixtureRequest) -> PiKind:
    """Each Pi in turn: 1.6.0 fullscreen, 1.6.0 regular, 0.73.1."""
    assert isinstance(request.param, PiKind)
    return request.param


STARTS: tuple[Start, ...] = ("-e", "attach")
SHARED = [
    # The id keeps all tests of a stage on one worker (tests/scheduling.py): a Pi that starts for each would take minutes.
    pytest.param((kind, start), id=f"{kind}+{'e' if start == '-e' else 'attached'}")
    for kind in GENERATIONS
    for start in STARTS
]


@pytest.fixture(scope="session", params=SHARED)
def shared_play(request: pytest.FixtureRequest) -> Iterator[Play]:
    """Each generation, with our extension loaded at its start and attached while it ran: one Pi for all tests."""
    kind, start = request.param
    with stage(kind, start, extensions=(EXERCISER, ALL)) as here:
        yield Play(here)


@pytest.fixture
def play(shared_play: Play) -> Play:
    """The shared Pi with no dialog open, and devices that have heard nothing yet."""
    shared_play.begin()
    return shared_play


@pytest.fixture(scope="session", params=[pytest.param(kind, id=f"{kind}+shown") for kind in GENERATIONS])
def shared_showing(request: pytest.FixtureRequest) -> Iterator[Showing]:
    """Each generation with the exerciser: one Pi for all tests of what is shown besides prompts."""
    kind: PiKind = request.param
    with stage(kind) as here:
        yield Showing(here)


@pytest.fixture
def showing(shared_showing: Showing) -> Showing:
    """The shared Pi with nothing of an extension's shown, and a phone that has heard nothing yet."""
    shared_showing.begin()
    return shared_showing
