"""Promise: a host's name is what resolvers and readers take for one, however it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitize.hosts import canonical, is_host, looks_like_host


@pytest.mark.parametrize(
    "host",
    [
        *("example.com", "localhost", "a", "EXAMPLE.com", "xn--mnchen-3ya.de", "my_bucket.s3.example", "3com.example", "v4.0x.example"),
        *("127.0.0.1", "255.255.255.255", "0.0.0.0", "[::1]", "[2001:DB8::1]", "[::ffff:192.0.2.1]", "a." * 125 + "abc"),
    ],
)
def test_what_every_resolver_understands_alike_is_a_host(host: str) -> None:
    assert is_host(host)


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "0x7f000001", "127.1", "0x7f.1", "127.0.0.01", "256.0.0.1", "1.2.3.4.5", "example.0x1f", "example.1"),
        *("[]", "[::g]", "[1.2.3.4]", "[:::]", "[::1", "a." * 126 + "abc"),
    ],
)
def test_numbers_in_disguise_and_malformed_addresses_are_none(host: str) -> None:
    assert not is_host(host)


@pytest.mark.parametrize(
    "name",
    [
        *("apple.com", "docs.python.org", "gov.uk", "t.me", "claude.ai", "bit.ly", "a.b.example", "xn--e1afmkfd.xn--p1ai", "пример.рф"),
        *("www.docs.rs", "www.main.py", "192.168.0.1", "-.com", "apple.\u0441om", "apple.c\u043e\u043c", "apple.\u03bfrg"),
    ],
)
def test_a_name_that_a_reader_may_take_for_a_site_looks_like_a_host(name: str) -> None:
    assert looks_like_host(name)


@pytest.mark.parametrize(
    "name",
    [
        *("main.py", "install.sh", "README.md", "lib.rs", "vector.cc", "libc.so", "main.tf", "config.mk", "archive.zip", "clip.mov"),
        *("package.json", "index.ts", "app.js", "main.go", "style.css", "a.tar.gz", "Cargo.lock", "v1.2.3", "1.2.3", "3.11", "1.2.3.4.5"),
        *("console.log", "os.path", "subprocess.run", "self.name", "requests.post", "com", "www", "", ".", "1.2.3.256", "конец.начало"),
    ],
)
def test_files_versions_and_code_do_not(name: str) -> None:
    assert not looks_like_host(name)


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("Apple.COM", "apple.com"),
        ("www.apple.com", "apple.com"),
        ("WWW.apple.com", "apple.com"),
        ("www2.apple.com", "www2.apple.com"),
        ("[::A]", "[::a]"),
        ("München.de", "xn--mnchen-3ya.de"),
        ("例え.jp", "xn--r8jz45g.jp"),
        ("пример.рф", "xn--e1afmkfd.xn--p1ai"),
    ],
)
def test_a_name_has_one_spelling(name: str, spelled: str) -> None:
    assert canonical(name) == spelled


@pytest.mark.parametrize("name", ["\u0430pple.com", "appl\u0435.com", "g\u0131thub.com", "\u03b1pple.com", "é" * 254, "é." * 9_000])
def test_a_name_that_reads_like_another_or_is_too_long_has_none(name: str) -> None:
    assert canonical(name) is None


@given(st.text(st.characters(codec=None)), st.text(alphabet="[:0123456789abcdef.x]"))
def test_any_text_may_be_asked_about(text: str, address: str) -> None:
    for name in (text, address, f"{text}.com"):
        assert is_host(name) in (True, False)
        assert looks_like_host(name) in (True, False)
        assert (canonical(name) or "").isascii()
