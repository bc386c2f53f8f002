"""Promise: a page of another origin, or under a name that leads here, cannot connect, frame or read; a script that gets in is not run."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from mirrord.client import Paired, PairingCode
from tests.web.browser import DESKTOP, launched, tab
from tests.web.shows import Pages, serving
from tests.web.web import accept

REBOUND = "mirrord.attacker.example"


class Attacker(BaseHTTPRequestHandler):
    """An empty page without any policy of its own."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>attacker</title>")

    def log_message(self, format: str, *args: object) -> None: ...


@contextmanager
def attacking() -> Iterator[str]:
    """The origin of a page on another port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Attacker)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with serving() as pages:
        yield pages


CONNECT = """([origin, path, protocols]) => new Promise((resolve) => {
  const socket = new WebSocket(origin.replace('http', 'ws') + path, protocols);
  socket.onopen = () => resolve('open');
  socket.onclose = ({code}) => resolve(`closed ${code}`);
  // The browser may ask the person first whether a page may reach this machine; nobody answers here.
  setTimeout(() => resolve('not let'), 2000);
})"""
SHUT = ("closed 1006", "not let")
# How markup becomes script in pages that are less strict.
SINKS = (
    "document.body.innerHTML = '<img src=x onerror=window.hit=1>'",
    "document.body.setAttribute('onclick', 'window.hit = 1')",
    "document.createElement('script').text = 'window.hit = 1'",
    "document.createElement('script').src = '/assets/x.js'",
    "document.createElement('iframe').srcdoc = '<script>parent.hit = 1</script>'",
    "setTimeout('window.hit = 1')",
    "document.write('<script>window.hit = 1</script>')",
)
FRAME = """(url) => new Promise((resolve) => {
  const frame = document.createElement('iframe');
  frame.onload = resolve;
  frame.src = url;
  document.body.append(frame);
})"""
READ = "(url) => fetch(url).then((response) => response.text(), (error) => error.name)"


def connect(page: Page, origin: str, path: str, *protocols: str) -> str:
    told = page.evaluate(CONNECT, [origin, path, list(protocols)])
    assert isinstance(told, str)
    return told


def token(pages: Pages) -> str:
    """A credential that is good: what is refused is the origin."""
    return pages.daemon.ask("pair", Paired, name=f"token {uuid.uuid4()}", role="controller").token


def test_a_page_of_another_port_cannot_connect_or_read(pages: Pages, browser: Browser) -> None:
    with attacking() as origin, tab(browser, DESKTOP) as one:
        one.page.goto(origin)
        for path, protocols in (("/v1/ws", ("mirrord.v1", f"bearer.{token(pages)}")), ("/v1/pair", ("mirrord.pair.v1",))):
            assert connect(one.page, pages.origin, path, *protocols) in SHUT
        assert one.page.evaluate(READ, f"{pages.origin}/") == "TypeError"
        assert one.page.evaluate(f"fetch('{pages.origin}/', {{mode: 'no-cors'}}).then(() => 'read', (error) => error.name)") == "TypeError"


def test_a_page_of_another_port_cannot_frame_or_reach_ours(pages: Pages, browser: Browser) -> None:
    with attacking() as origin, tab(browser, DESKTOP) as one:
        one.page.goto(origin)
        one.page.evaluate(FRAME, f"{pages.origin}/")
        (frame,) = (frame for frame in one.page.frames if frame is not one.page.main_frame)
        assert "mirrord" not in frame.content() or frame.url.startswith("chrome-error")
        with one.page.context.expect_page() as opened:
            one.page.evaluate(f"window.ours = window.open('{pages.origin}/')")
        expect(opened.value.get_by_role("heading", level=1)).to_be_visible()
        assert one.page.evaluate("window.ours.closed"), "the opener has no hold on it"
        assert opened.value.evaluate("window.opener") is None


def test_a_name_that_leads_here_gets_nothing(pages: Pages, browser: Browser) -> None:
    port = urlsplit(pages.origin).port
    rules = f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1"
    with launched(browser.browser_type, rules) as rebound, tab(rebound, DESKTOP) as one, attacking() as origin:
        attacker = f"http://{REBOUND}:{urlsplit(origin).port}"
        one.page.goto(attacker)
        assert one.page.title() == "attacker", "the name leads here"
        response = one.page.request.get(f"{pages.origin}/", headers={"Host": f"{REBOUND}:{port}"})
        assert response.status == 403
        answered = one.page.goto(f"http://{REBOUND}:{port}/")
        assert answered is not None
        assert answered.status == 403
        assert connect(one.page, f"http://{REBOUND}:{port}", "/v1/ws", "mirrord.v1", f"bearer.{token(pages)}") in SHUT
        assert connect(one.page, f"http://{REBOUND}:{port}", "/v1/pair", "mirrord.pair.v1") in SHUT
        assert connect(one.page, pages.origin, "/v1/ws", "mirrord.v1", f"bearer.{token(pages)}") in SHUT


def test_a_script_that_gets_into_the_page_is_not_run(pages: Pages, browser: Browser) -> None:
    with tab(browser, DESKTOP) as one:
        one.page.goto(pages.daemon.ask("pair_code", PairingCode, role="controller").url)
        accept(one.page, "victim")
        one.assert_clean()
        for sink in SINKS:
            assert (
                one.page.evaluate(f"(() => {{ try {{ {sink}; return 'set'; }} catch (error) {{ return error.name; }} }})()") == "TypeError"
            )
        one.page.evaluate("document.body.append(Object.assign(document.createElement('img'), {src: 'http://127.0.0.1:9/leak'}))")
        left = "fetch('http://127.0.0.1:9/leak').then(() => 'sent', (error) => error.name)"
        assert one.page.evaluate(left) == "TypeError"
        assert one.page.evaluate("window.hit") is None
        for directive in ("img-src", "require-trusted-types-for", "connect-src"):
            one.excuse(rf"policy violated: {directive}")
        one.excuse("Content Security Policy|TrustedHTML|Refused")
