"""Promise: a page that was open once opens without the daemon too, says so, and goes on by itself when the daemon is there."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from mirrord.client import PairingCode
from tests.web.browser import PHONE, SIZES, Size
from tests.web.conftest import NewTab
from tests.web.shows import serving
from tests.web.web import accept


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_page_opens_without_the_daemon_and_says_so(new_tab: NewTab, size: Size) -> None:
    with serving() as pages:
        page = new_tab(size, offline_shell=True).page
        page.goto(pages.daemon.ask("pair_code", PairingCode, role="controller").url)
        accept(page, "pocket")
        page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        pages.daemon.end()
        page.reload()
        away = page.get_by_role("heading", name="mirrord does not answer")
        expect(away).to_be_visible()
        expect(page.get_by_text("mirrord serve")).to_be_visible()
        port = urlsplit(pages.origin).port
        assert port is not None
        pages.daemon.start(port=port)
        expect(away).to_have_count(0)
        expect(page.get_by_text("No Pi is running")).to_be_visible()


def test_a_page_that_was_opened_before_an_update_has_the_files_of_its_build(new_tab: NewTab) -> None:
    with serving() as pages:
        page = new_tab(PHONE, offline_shell=True).page
        page.goto(pages.origin)
        page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        # As two builds before this one would have left them.
        page.evaluate(
            """async () => {
              for (const name of await caches.keys()) await caches.delete(name);
              for (const name of ["mirrord-first", "mirrord-second"]) {
                await (await caches.open(name)).put(`/assets/of-${name}.js`, new Response(name));
              }
              await (await navigator.serviceWorker.ready).unregister();
            }"""
        )
        page.reload()
        page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        page.wait_for_function("navigator.serviceWorker.controller?.state === 'activated'")
        kept = page.evaluate("async () => (await caches.keys()).filter((name) => /first|second/.test(name))")
        assert kept == ["mirrord-second"]
        text = page.evaluate("async () => (await fetch('/assets/of-mirrord-second.js')).text()")
        assert text == "mirrord-second"
