"""Each engine with the real Pi and the real daemon, paired by a code that is typed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.e2e.stage import stage
from tests.engines.engine import ENGINES, Engine
from tests.engines.page import Page
from tests.engines.visit import Visit
from tests.harness.pi import ALL, EXERCISER, FULLSCREEN, ROOT
from tests.web.browser import SIZES, Size
from tests.web.web import Web, standing

PICTURES = ROOT / ".cache" / "screenshots" / "engines"


@pytest.fixture(scope="package")
def web() -> Iterator[Web]:
    """Pi 1.6.0 and the daemon, for all engines one after the other."""
    with stage(FULLSCREEN, extensions=(EXERCISER, ALL)) as here, standing(here) as web:
        yield web


def lacks(engine: Engine) -> pytest.MarkDecorator:
    """Skips what cannot run here, and says why."""
    lacking = engine.lacks()
    return pytest.mark.skipif(bool(lacking), reason=f"no {' and no '.join(lacking)} to run {engine} with: `make soak` as root installs it")


@pytest.fixture(
    scope="package",
    params=[pytest.param((engine, size), id=f"{engine}-{size}", marks=lacks(engine)) for engine in ENGINES for size in SIZES],
)
def unpaired(request: pytest.FixtureRequest, web: Web) -> Iterator[Visit]:
    """A browser that nobody has paired, with a window like a phone's or a desktop's."""
    engine: Engine
    size: Size
    engine, size = request.param
    with TemporaryDirectory(prefix="mirrord-engine-") as folder, engine.start(Path(folder), size) as driver:
        yield Visit(web, Page(driver, PICTURES / f"{engine}-{size}"), f"{engine} {size}")


@pytest.fixture(scope="package")
def paired(unpaired: Visit) -> Visit:
    """The same, paired."""
    unpaired.pair()
    return unpaired


@pytest.fixture
def visit(paired: Visit) -> Iterator[Visit]:
    """The same on the session, with no dialog open; nothing may have gone wrong on the page at the end."""
    paired.begin()
    yield paired
    paired.assert_clean()
