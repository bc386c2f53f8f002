"""Which links may leave, and which texts pretend to lead elsewhere than their link does.

A link is written in RFC 3986's characters but the apostrophe, so it breaks out of no markup; its host stands there as a resolver takes
it, with no userinfo before it and no number in disguise; and it does one thing: open a page, write to one address, show a session.
Scheme and host count in any case. Whatever else has no link, and its text stays.

A text names a host by `scheme://host`, by `www.`, by an IPv4 address, or by a dotted name that ends like one (`hosts.py`). Endings
that are those of files too (`py`, `sh`, `md`, `rs`) do not count, so `src/main.py` and `README.md` keep their links, and `docs.rs`
would. What stands behind the link's own host in a URL does not count either. Only the same host is the same, with or without
`www.`; a name in letters that look like Latin ones never is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from sanitize.hosts import canonical, is_host, looks_like_host
from sanitize.limits import LINK_CHARACTERS, LINKS

_URI: Final = r"[A-Za-z0-9\-._~:/?#\[\]@!$&()*+,;=%]*+"
_LABEL: Final = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_NAME: Final = rf"{_LABEL}(?:\.{_LABEL})*"
_LARGEST_PORT: Final = 65_535

_page: Final = re.compile(rf"[Hh][Tt][Tt][Pp][Ss]?://(?P<host>{_NAME}|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{{1,5}}))?(?:[/?#]{_URI})?")
_address: Final = re.compile(rf"[Mm][Aa][Ii][Ll][Tt][Oo]:[A-Za-z0-9][A-Za-z0-9._+-]{{0,63}}@(?P<host>{_NAME})(?P<port>)")
_session: Final = re.compile(r"oppi://session/[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?")  # the ids that Pi takes

_DOTS: Final = "\u2024\u3002\ufe52\uff0e\uff61"
"""What is taken for a dot; U+3002 also by resolvers."""
_word: Final = re.compile(rf"\[[0-9A-Fa-f:.]+\]|[\w.{_DOTS}-]+")
_ascii_word: Final = re.compile(r"[A-Za-z0-9_.-]+")
_several_dots: Final = re.compile(r"\.{2,}")
_rest_of_url: Final = re.compile(rf"(?::[0-9]*)?(?:[/?#]{_URI})?")


def safe_link(uri: str) -> str | None:
    """`uri` as it is when it may leave, else None: http, https, mailto (one address and nothing else) or oppi://session/ID."""
    return _safe(uri) if len(uri) <= LINK_CHARACTERS else None


def names_other_host(text: str, link: str) -> bool:
    """Whether the text of a link that is safe looks like a host's name, and is not that of the link's host."""
    if text.isascii() and "." not in text and "://" not in text:
        return False
    return _names(text, link) if len(text) <= LINK_CHARACTERS else _names.__wrapped__(text, link)


@lru_cache(LINKS)
def _safe(uri: str) -> str | None:
    if _session.fullmatch(uri):
        return uri
    found = _page.fullmatch(uri) or _address.fullmatch(uri)
    return uri if found and is_host(found["host"]) and int(found["port"] or 0) <= _LARGEST_PORT else None


@lru_cache(LINKS)
def _names(text: str, link: str) -> bool:
    found = _page.fullmatch(link) or _address.fullmatch(link)
    own = canonical(found["host"]) if found else None
    at = 0
    while word := _word.search(text, at):
        at = word.end()
        hosts = _hosts(word[0], after_scheme=text.startswith("://", max(word.start() - 3, 0)))
        if any(own is None or canonical(host) != own for host in hosts):
            return True
        if hosts and (rest := _rest_of_url.match(text, at)):
            at = rest.end()
    return False


def _hosts(word: str, after_scheme: bool) -> list[str]:
    """What is taken for the name of a host in a run of letters, digits, dots and hyphens."""
    name = unicodedata.normalize("NFKC", word).replace("\u3002", ".").lower()
    if after_scheme:
        return [name.rstrip(".")]
    hosts = _looking_like_hosts(name)
    if hosts or name.isascii():
        return hosts
    return [host for part in _ascii_word.findall(name) for host in _looking_like_hosts(part)]


def _looking_like_hosts(name: str) -> list[str]:
    parts = (part.strip("[]._-") for part in _several_dots.split(name))
    return [part for part in parts if looks_like_host(part)]
