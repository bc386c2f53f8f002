"""Promise: the web client's files are served as they were built, each fenced in, and nothing else of this machine is."""

from __future__ import annotations

import gzip
from http import HTTPStatus
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from mirrord.clock import SystemClock
from mirrord.place import Place
from mirrord.server.pages import NOT_BUILT, SECURITY_HEADERS, Pages, read_pages
from mirrord.settings import Settings
from mirrord.testing import running_daemon

HTML = "<!doctype html><title>mirrord</title>" + "<p>words" * 100
SCRIPT = "/assets/app-1a2b.js"


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(HTML)
    (tmp_path / "sw.js").write_text("self")
    (tmp_path / "assets" / "app-1a2b.js").write_text("let x = 1;\n" * 50)
    (tmp_path / "assets" / "app-1a2b.js.map").write_text("{}")
    (tmp_path / "icon.png").write_bytes(bytes(500))
    return tmp_path


@pytest.fixture
def pages(dist: Path) -> Pages:
    return read_pages(dist)


def test_the_list_is_what_was_built_with_the_page_at_the_root_and_no_source_map(pages: Pages) -> None:
    assert pages.paths == {"/", "/sw.js", "/icon.png", SCRIPT}


@pytest.mark.parametrize(
    ("path", "kind", "caching"),
    [
        ("/", "text/html; charset=utf-8", "no-store"),
        ("/sw.js", "text/javascript; charset=utf-8", "no-store"),
        ("/icon.png", "image/png", "no-store"),
        (SCRIPT, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
    ],
)
def test_a_file_has_its_type_and_only_a_hashed_one_is_kept(pages: Pages, path: str, kind: str, caching: str) -> None:
    page = pages.answer(path, "")
    assert page.status is HTTPStatus.OK
    assert dict(page.headers)["Content-Type"] == kind
    assert dict(page.headers)["Cache-Control"] == caching


@pytest.mark.parametrize("accepted", ["gzip", "gzip, deflate, br", "br;q=1.0, GZIP ; q=0.5"])
def test_a_file_is_packed_for_who_takes_that(pages: Pages, accepted: str) -> None:
    page = pages.answer("/", accepted)
    assert dict(page.headers)["Content-Encoding"] == "gzip"
    assert gzip.decompress(page.body).decode() == HTML


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "x-gzip", "identity, gzip ; q=0.0"])
def test_and_plain_for_who_does_not(pages: Pages, accepted: str) -> None:
    page = pages.answer("/", accepted)
    assert "Content-Encoding" not in dict(page.headers)
    assert dict(page.headers)["Vary"] == "Accept-Encoding"
    assert page.body.decode() == HTML


def test_what_packing_does_not_make_smaller_is_never_packed(pages: Pages) -> None:
    assert "Content-Encoding" not in dict(pages.answer("/sw.js", "gzip").headers)
    assert "Content-Encoding" not in dict(pages.answer("/icon.png", "gzip").headers)


def test_a_client_that_was_not_built_is_one_sentence(tmp_path: Path) -> None:
    pages = read_pages(tmp_path / "nothing")
    assert pages.paths == {"/"}
    page = pages.answer("/", "gzip")
    assert (page.status, page.body.decode()) == (HTTPStatus.NOT_FOUND, NOT_BUILT)
    assert NOT_BUILT.count("\n") == 1


async def ask(port: int, target: str, *headers: str) -> tuple[list[str], bytes]:
    """Status line and headers, and the body, of a GET."""
    request = "\r\n".join((f"GET {target} HTTP/1.1", f"Host: 127.0.0.1:{port}", *headers, "", ""))
    answer = b""
    async with await anyio.connect_tcp("127.0.0.1", port) as stream:
        await stream.send(request.encode())
        with anyio.fail_after(5):
            while True:
                try:
                    answer += await stream.receive()
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    break
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.decode().split("\r\n"), body


@pytest.mark.parametrize(
    ("target", "more", "status"),
    [
        ("/", (), 200),
        (SCRIPT, (), 200),
        ("/etc/passwd", (), 404),
        ("/v1/ws", (), 426),
        ("/", ("Origin: http://evil.test",), 403),
    ],
)
async def test_everything_the_network_is_answered_is_fenced_in(
    own_settings: Settings, own_place: Place, pages: Pages, target: str, more: tuple[str, ...], status: int
) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        daemon.server.pages = pages
        head, body = await ask(daemon.runner.port, target, *more)
    assert head[0].split()[1] == str(status)
    assert f"Content-Length: {len(body)}" in head
    for name, value in SECURITY_HEADERS:
        assert [line for line in head if line.startswith(f"{name}:")] == [f"{name}: {value}"]


async def test_a_large_file_arrives_whole_though_it_is_read_slowly(own_settings: Settings, own_place: Place, dist: Path) -> None:
    def build() -> Pages:
        (dist / "assets" / "large.js").write_text("0123456789" * 100_000)
        return read_pages(dist)

    large = await anyio.to_thread.run_sync(build)
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        daemon.server.pages = large
        _, body = await ask(daemon.runner.port, "/assets/large.js")
    assert len(body) == 1_000_000


def test_the_policy_lets_a_page_run_and_reach_nothing_but_its_own_origin() -> None:
    policy = dict(SECURITY_HEADERS)["Content-Security-Policy"]
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split("; ")}
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == rules["frame-ancestors"] == ["'none'"]
    sources = [rules[name] for name in ("script-src", "style-src", "connect-src", "manifest-src", "worker-src")]
    assert sources == [["'self'"]] * 5
    assert rules["require-trusted-types-for"] == ["'script'"]
    assert "unsafe" not in policy
