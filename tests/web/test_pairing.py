"""Promise: the address or the code that `mirrord pair` prints pairs one browser; a bad code says what to do; who is revoked is out."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from mirrord.client import PairingCode
from mirrord.demo.terminal import Terminal
from tests.harness.pi import ROOT, environment
from tests.web.browser import DESKTOP, PHONE, SIZES, Size
from tests.web.conftest import NewTab
from tests.web.shows import Pages, serving
from tests.web.web import accept, mirrord

PRINTED_URL = re.compile(r"http://127\.0\.0\.1:\d+/#pair=[0-9A-Z]{10}")
PRINTED_CODE = re.compile(r"or type +([0-9A-Z]{5}-[0-9A-Z]{5})")


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with serving() as pages:
        yield pages


def code(pages: Pages, role: str = "controller") -> PairingCode:
    return pages.daemon.ask("pair_code", PairingCode, role=role)


def type_code(page: Page, typed: str) -> None:
    page.get_by_label("Code").fill(typed)
    page.get_by_role("button", name="Pair this browser").click()


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_printed_address_pairs_and_its_secret_leaves_the_address_bar(pages: Pages, new_tab: NewTab, size: Size) -> None:
    home = pages.home
    with Terminal(
        [sys.executable, "-P", "-m", "mirrord", "pair"],
        env={**environment(home), "PYTHONPATH": str(ROOT)},
        cwd=home.work,
        rows=50,
    ) as terminal:
        terminal.wait_for(PRINTED_CODE)
        url = PRINTED_URL.search(terminal.screen_text())
        assert url is not None
        page = new_tab(size).page
        page.goto(url[0])
        expect(page.get_by_role("heading", name="Pair this browser")).to_be_visible()
        assert page.url == f"{pages.origin}/"
        assert page.evaluate("history.length") <= 2
        expect(page.get_by_text("can make Pi run anything that you can run")).to_be_visible()
        accept(page, f"printed on a {size}")
        terminal.wait_for(f"printed on a {size} is paired as controller")
        assert terminal.wait_exit() == 0
    page.reload()
    expect(page.get_by_role("heading", level=1, name="Sessions")).to_be_visible()


def test_a_code_is_typed_as_a_person_types(pages: Pages, new_tab: NewTab) -> None:
    page = new_tab(PHONE).page
    page.goto(pages.origin)
    made = code(pages).code
    page.get_by_label("Name of this browser").fill("typed")
    type_code(page, f" {made[:5].lower()} - {made[5:].lower().replace('0', 'o').replace('1', 'l')}")
    expect(page.get_by_role("heading", level=1, name="Sessions")).to_be_visible()


def test_each_bad_code_says_what_to_do(pages: Pages, new_tab: NewTab) -> None:
    page = new_tab(DESKTOP).page
    page.goto(pages.origin)
    failure = page.get_by_role("alert").filter(has_text=re.compile(r"\S"))
    used = code(pages)
    accept_in_another = new_tab(PHONE).page
    accept_in_another.goto(used.url)
    accept(accept_in_another, "first")
    type_code(page, used.code)
    expect(failure).to_contain_text("This code was used already")
    replaced, good = code(pages), code(pages)
    type_code(page, replaced.code)
    expect(failure).to_contain_text("too old")
    wrong = good.code[:-1] + ("A" if good.code[-1] != "A" else "B")
    type_code(page, wrong)
    expect(failure).to_contain_text("That is not the code")
    expect(failure).to_contain_text("left")
    type_code(page, "K7QF2")
    expect(failure).to_contain_text("A code has ten letters and digits")
    page.get_by_label("Name of this browser").fill("at last")
    type_code(page, good.code)
    expect(page.get_by_role("heading", level=1, name="Sessions")).to_be_visible()


def test_an_observer_is_told_that_it_looks(pages: Pages, new_tab: NewTab) -> None:
    page = new_tab(DESKTOP).page
    page.goto(code(pages, "observer").url)
    accept(page, "wall")
    expect(page.get_by_text("Observer", exact=True)).to_be_visible()


def test_a_revoked_browser_is_out_at_once_and_can_be_paired_again(pages: Pages, new_tab: NewTab) -> None:
    page = new_tab(PHONE).page
    page.goto(code(pages).url)
    accept(page, "lost phone")
    mirrord(pages.home, "devices", "revoke", "lost phone")
    expect(page.get_by_text("This browser is no longer paired")).to_be_visible()
    page.reload()
    expect(page.get_by_text("This browser is no longer paired")).to_be_visible()
    page.get_by_role("button", name="Pair again").click()
    type_code(page, code(pages).code)
    expect(page.get_by_role("heading", level=1, name="Sessions")).to_be_visible()


def test_the_key_cannot_be_read_and_nothing_else_is_secret(pages: Pages, new_tab: NewTab) -> None:
    page = new_tab(PHONE).page
    page.goto(code(pages).url)
    accept(page, "keeper")
    kept = page.evaluate(
        """async () => {
          const open = indexedDB.open('mirrord');
          const database = await new Promise((resolve) => (open.onsuccess = () => resolve(open.result)));
          const get = database.transaction('identity').objectStore('identity').getAll();
          const rows = await new Promise((resolve) => (get.onsuccess = () => resolve(get.result)));
          const key = rows[0].keys.privateKey;
          const exported = await crypto.subtle.exportKey('pkcs8', key).then(() => 'exported', (error) => error.name);
          return {count: rows.length, fields: Object.keys(rows[0]).sort(), extractable: key.extractable, exported};
        }"""
    )
    assert kept == {
        "count": 1,
        "fields": ["daemonKey", "device", "keys", "name", "role"],
        "extractable": False,
        "exported": "InvalidAccessError",
    }
    stored = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert "mrs_" not in stored
    assert json.loads(stored)[2] == ""
