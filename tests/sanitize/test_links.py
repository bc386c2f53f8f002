"""Promise: a link that leaves opens a page, a mail to one address or a session, and its text names no other host than its own."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitize.limits import LINK_CHARACTERS
from sanitize.links import names_other_host, safe_link


@pytest.mark.parametrize(
    "uri",
    [
        *("https://a.b/", "http://a.b", "HTTPS://A.B/", "https://a.b?x=1;y=2", "https://a.b#f", "https://a.b:8443/x"),
        "http://localhost:3000",
        *("http://127.0.0.1:8080/", "http://[::1]:3000/x", "https://xn--mnchen-3ya.de/", "https://a.b/@user/x", "https://a.b/?q=a:b@c"),
        *("https://a.b/%E2%82%AC%20x", "https://a.b/~x/(y)*!$&+,=[]", "https://a.b//x/../y", "https://a_b.example/", "https://a.b:65535"),
        *("mailto:me@a.example", "MAILTO:Me.You+x_y-z@A.example", "oppi://session/019a-B_c.d", "oppi://session/0"),
        "https://a.b/" + "x" * (LINK_CHARACTERS - 12),
        "oppi://session/" + "x" * 128,
    ],
)
def test_a_safe_link_leaves_as_it_is(uri: str) -> None:
    assert safe_link(uri) == uri


REFUSED = {
    "other schemes": [
        *("x-man-page://1/ls", "ssh://a.b", "telnet://a.b", "file:///etc/passwd", "file://host/x", "ftp://a.b/", "data:text/html,x"),
        *("javascript:alert(1)", "JaVaScRiPt:alert(1)", "vbscript:x", "vscode://file/x", "about:blank", "blob:https://a.b/x", "tel:+1"),
        *("httpsx://a.b", "https+x://a.b", "view-source:https://a.b", "", ":", "//a.b", "a.b", "/x"),
    ],
    "blanks around a scheme": [
        " https://a.b",
        "\thttps://a.b",
        "https ://a.b",
        "https: //a.b",
        "https://a.b ",
        "https://a.b\n",
        "\ufeffhttps://a.b",
    ],
    "userinfo": [
        "https://github.com@evil.example/",
        "https://u:p@a.b/",
        "https://@a.b/",
        "https://a.b:80@evil.example/",
        "https://a.b%40c.d/",
    ],
    "what breaks out of markup": [f"https://a.b/{character}x" for character in "\"'<>`\\^{|} "],
    "controls and what is not ASCII": [f"https://a.b/{c}x" for c in "\x00\t\n\r\x1b\x7f\x85\x9b\u200b\u200e\u202e\u2028\ufeffé\ud800"],
    "hosts": [
        *("https://", "https:///x", "https://?x", "https://:80/", "https://.a.b/", "https://a..b/", "https://a.b./", "https://-a.b/"),
        *("https://a-.b/", "https:a.b", "https:/a.b", "https:\\\\a.b", "https://a,b/", "https://a%2eb/", "https://m\xfcnchen.de/"),
        *("https://2130706433/", "https://0x7f000001/", "https://127.1/", "https://0177.0.0.1/", "https://256.1.1.1/"),
        "https://1.2.3.4.5/",
        *("https://[::1/", "https://::1/", "https://[]/", "https://[g::1]/", "https://[fe80::1%25eth0]/", "https://" + "a" * 64 + ".b/"),
        "https://" + "a." * 126 + "abc/",
    ],
    "ports": ["https://a.b:/", "https://a.b:65536/", "https://a.b:123456/", "https://a.b:8x/", "https://a.b:-1/", "https://a.b:80:80/"],
    "mails that do more than go to one address": [
        *("mailto:", "mailto:me", "mailto:@a.b", "mailto:me@", "mailto:me@a.b,you@c.d", "mailto:me@a.b;you@c.d"),
        "mailto:me@a.b?cc=you@c.d",
        *("mailto:me@a.b?subject=x", "mailto:me@a.b?body=x&bcc=you@c.d", "mailto:me%0abcc:you@a.b", "mailto:me@a.b%0a"),
        "mailto:?to=me@a.b",
        *("mailto://me@a.b", "mailto:me@127.1", "mailto:" + "x" * 65 + "@a.b"),
    ],
    "sessions": [
        *("oppi://session/", "oppi://session", "oppi://session/../x", "oppi://session/.", "oppi://session/x/", "oppi://session/x?y"),
        "oppi:session/x",
        *("oppi://sessions/x", "oppi://settings/x", "OPPI://session/x", "oppi://session/-x", "oppi://session/x-", "oppi://session/a%2fb"),
        *("oppi://session/é", "oppi://u@session/x", "oppi://session:80/x", "oppi://session/" + "x" * 129),
    ],
    "length": ["https://a.b/" + "x" * (LINK_CHARACTERS - 11)],
}


@pytest.mark.parametrize(("kind", "uri"), [(kind, uri) for kind, uris in REFUSED.items() for uri in uris])
def test_no_other_link_leaves(kind: str, uri: str) -> None:
    assert safe_link(uri) is None, kind


SAME = {
    "https://apple.com/": [
        *("apple.com", "https://apple.com", "http://apple.com/", "APPLE.COM", "Apple.com", "www.apple.com", "https://www.apple.com:443/x"),
        *("(apple.com)", "apple.com.", "apple.com, and more", "See https://apple.com/.", "apple.com…", '"apple.com"', "→ apple.com"),
        "me@apple.com",
        *("https://apple.com/?next=https://evil.example/", "apple.com/site.org", "apple.com#a.com", "apple.com:80/b.com"),
        *("apple\uff0ecom", "apple\u3002com"),
        *("", "Apple", "Read more", "a link. And more", "e.g. this", "i.e. that", "…", "100.0 %", "1.2.3", "v1.2.3.4.5", "3.11"),
        *("src/main.py", "README.md", "main.py:12", "install.sh", "src/lib.rs#L3", "C:\\src\\main.py", "package.json", "a.b.c"),
        "np.array()",
        *("https:", "http://", "std::vector", "a//b", "// comment", "a/b", "...", "../x", "./y", "~/.config", "docs.rs"),
    ],
    "http://www.apple.com:8080/x": ["apple.com", "www.apple.com", "apple.com:8080"],
    "https://xn--mnchen-3ya.de/": ["münchen.de", "MÜNCHEN.de", "xn--mnchen-3ya.de", "www.münchen.de"],
    "https://xn--r8jz45g.jp/": ["例え.jp"],
    "https://xn--e1afmkfd.xn--p1ai/": ["пример.рф", "https://пример.рф/путь"],
    "http://127.0.0.1:3000/": ["127.0.0.1:3000", "http://127.0.0.1/"],
    "http://[::1]:3000/": ["http://[::1]:3000/", "[x]"],
    "http://localhost:3000/": ["http://localhost:3000/", "localhost:3000", "localhost"],
    "mailto:me@apple.com": ["me@apple.com", "apple.com", "Write to me"],
    "oppi://session/1": ["Session 1", "main.py"],
}


@pytest.mark.parametrize(("link", "text"), [(link, text) for link, texts in SAME.items() for text in texts])
def test_a_text_that_names_no_other_host_keeps_its_link(link: str, text: str) -> None:
    assert safe_link(link)
    assert not names_other_host(text, link)


OTHER = {
    "https://evil.example/": [
        *("https://apple.com", "apple.com", "www.apple.com", "Apple.COM", "HTTPS://APPLE.COM", "see apple.com for more"),
        *("apple.com.", "(apple.com)"),
        *("http://localhost:3000", "ssh://host", "www.docs.rs", "www.main.py", "192.168.0.1", "http://[::1]/", "[1.1.1.1]", "me@apple.com"),
        *("evil.example@apple.com", "apple.com/evil.example", "evil.example, apple.com", "evil.example/ apple.com", "…/apple.com"),
        "/apple.com",
        *("apple\uff0ecom", "apple\u3002com", "apple\uff61com", "apple\u2024com", "\uff41pple.com", "詳細はapple.comへ"),
        *("xapple.com", "a..apple.com"),
        *("\u0430pple.com", "apple.\u0441om", "appl\u00e9.com", "xn--pple-43d.com", "пример.рф", "例え.jp", "sub.evil.example"),
        "evil.example.com",
        *("https://evil.example@apple.com", "//apple.com", "https:/apple.com", "https:\\\\apple.com", ".apple.com", "-apple.com-"),
        "_apple.com_",
    ],
    "https://apple.com.evil.example/": ["https://apple.com", "apple.com", "https://apple.com.evil"],
    "https://evil.example/?https://apple.com": ["https://apple.com", "?https://apple.com"],
    "https://evil.example/apple.com": ["apple.com"],
    "https://xn--pple-43d.com/": ["\u0430pple.com", "apple.com", "https://\u0430pple.com"],
    "https://pple.com/": ["\u0430pple.com"],
    "https://gist.github.com/": ["github.com"],
    "https://github.com/": ["gist.github.com"],
    "mailto:me@evil.example": ["me@apple.com", "https://apple.com"],
    "oppi://session/1": ["apple.com", "https://session/1"],
}


@pytest.mark.parametrize(("link", "text"), [(link, text) for link, texts in OTHER.items() for text in texts])
def test_a_text_that_names_another_host_loses_its_link(link: str, text: str) -> None:
    assert safe_link(link)
    assert names_other_host(text, link)


PIECES = st.sampled_from(
    [*"a1.:/@?#%[]-_ \\é中\u0430\u3002\ud800", "https", "://", "mailto:", "oppi://session/", "apple.com", "evil.example"]
)


@given(st.lists(PIECES, max_size=20).map("".join), st.lists(PIECES, max_size=20).map("".join))
def test_whatever_leaves_is_printable_ascii_without_userinfo(uri: str, text: str) -> None:
    link = safe_link(uri)
    if link is not None:
        assert link.isascii()
        assert link.isprintable()
        assert not set(link) & set(" \"'<>`\\")
        scheme, _, rest = link.partition(":")
        assert scheme.lower() == "mailto" or "@" not in rest.lstrip("/").partition("/")[0].partition("?")[0].partition("#")[0]
        assert names_other_host(text, link) in (True, False)


UNITS = [
    "a",
    ".",
    "a.",
    "a..",
    "://",
    "https://a.example/",
    "a.example ",
    "/",
    "中",
    "中.",
    "\u0430.com ",
    "[",
    "[1",
    "a@",
    "1.",
    "xn--.",
    "\u3002",
]


@pytest.mark.parametrize("unit", UNITS)
def test_64_kib_of_anything_take_no_time_to_speak_of(unit: str) -> None:
    text = unit * (64 * 1024 // len(unit))
    began = time.process_time()
    names_other_host(text, "https://a.example/")
    safe_link(text)
    safe_link("https://" + text[: LINK_CHARACTERS - 8])
    safe_link("mailto:" + text[: LINK_CHARACTERS - 7])
    assert time.process_time() - began < 1
