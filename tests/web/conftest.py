"""What every test with the real browser needs: the browser, and that nothing went wrong on a page behind the test's back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.stage import stage
from tests.harness.pi import ALL, EXERCISER, FULLSCREEN
from tests.web.browser import DESKTOP, PHONE, Size, Tab, all_clean, chromium, tab
from tests.web.conversation import Working, at_rest, working
from tests.web.web import Web, standing

NewTab = Callable[..., Tab]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """For the package alone: while it is driven, this thread has an event loop, which tests elsewhere must not meet."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def new_tab(browser: Browser) -> Iterator[NewTab]:
    """Makes tabs, each in a profile of its own, that must be without a fault at the end."""
    tabs: list[Tab] = []
    with ExitStack() as stack:

        def make(size: Size, **options: object) -> Tab:
            made: AbstractContextManager[Tab] = partial(tab, browser, size)(**options)  # type: ignore[arg-type] # those of `tab`
            tabs.append(stack.enter_context(made))
            return tabs[-1]

        yield make
        all_clean(tabs)


@pytest.fixture(scope="module")
def shared_web(browser: Browser) -> Iterator[Web]:
    """Pi 1.6.0, the daemon, and two paired pages, one on a phone and one on a desktop."""
    with (
        stage(FULLSCREEN, extensions=(EXERCISER, ALL)) as here,
        standing(here) as web,
        tab(browser, PHONE) as phone,
        tab(browser, DESKTOP) as desktop,
    ):
        web.pair(phone, "pocket")
        web.pair(desktop, "desk")
        yield web


@pytest.fixture
def web(shared_web: Web) -> Iterator[Web]:
    """The shared Pi with no dialog open, and its pages on the session; they must be without a fault at the end."""
    shared_web.begin()
    for name in shared_web.tabs:
        shared_web.enter(name)
    yield shared_web
    all_clean(list(shared_web.tabs.values()))


# The id keeps all tests of a working session on one worker, which starts one Pi for them.
@pytest.fixture(scope="package", params=[pytest.param(FULLSCREEN, id=f"{FULLSCREEN}+session")])
def shared_work(browser: Browser) -> Iterator[Working]:
    """A Pi in the middle of a working session, for all files about the conversation."""
    with working(browser) as work:
        yield work


@pytest.fixture
def work(shared_work: Working) -> Iterator[Working]:
    """That Pi at rest, with a phone and a desktop on its conversation."""
    yield from at_rest(shared_work)
