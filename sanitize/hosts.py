"""Names of hosts: which ones a link may have, and which ones a text may be taken to name."""

from __future__ import annotations

import re
import unicodedata
from ipaddress import AddressValueError, IPv6Address
from typing import Final

from sanitize.limits import HOST_CHARACTERS

_byte: Final = re.compile(r"25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]")
_number: Final = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")

_COUNTRIES: Final = (
    "ad ae af ag ai al ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cd cf cg ch ci ck cl cm cn"
    " co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw"
    " gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly"
    " ma mc me mg mh mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pn pr pt pw qa"
    " re ro ru rw sa sb sc sd se sg si sk sl sm sn sr ss st su sx sy sz tc td tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz"
    " va vc ve vg vi vn vu wf ws ye yt za zm zw рф укр бел 中国 中國 香港 台湾 台灣 한국"
)
"""Without those that programmers know as the ending of a file: ac am cc gd md mk ml mm pm ps py rs sh so sv tf."""

_GENERIC: Final = (
    "com org net edu gov mil int info biz app dev page xyz online site website store shop cloud tech top club vip pro blog news live"
    " life world today space click email wiki work team zone digital agency network systems solutions media social chat games bank"
    " finance money cash credit exchange market trade support help services academy school university aero asia cat coop jobs mobi"
    " museum tel travel onion example"
)
"""Those that people take for a site at sight. Without those that are files (`zip`, `mov`) or code (`name`, `run`, `post`, `link`)."""

_TOP_LEVEL: Final = frozenset((*_COUNTRIES.split(), *_GENERIC.split()))

_LOOKALIKES: Final = str.maketrans("асеорхуіѕјԁһӏмткгпвνοαριετκ", "aceopxyisjdhlmtkrnbvoapietk")
"""Cyrillic and Greek letters that are taken for Latin ones, so that `com` with a Cyrillic c is an ending too."""

_READ_AS_OTHERS: Final = "ıĸ"
_LARGEST_LATIN: Final = "\u017f"
_UNLIKE_LATIN: Final = ("CJK ", "HIRAGANA ", "KATAKANA", "HANGUL ")
"""How the names begin of characters that nobody takes for Latin letters."""


def is_host(host: str) -> bool:
    """Whether a name of labels and dots, or an IPv6 address in brackets, is one that every resolver understands alike."""
    if host.startswith("["):
        return host.endswith("]") and _is_ipv6(host[1:-1])
    labels = host.split(".")
    if _number.fullmatch(labels[-1]):  # a browser takes the whole for an IPv4 address, in any of its old spellings
        return _is_ipv4(labels)
    return len(host) <= HOST_CHARACTERS


def looks_like_host(name: str) -> bool:
    """Whether a reader may take `name` for a host's: it has the ending of one, or starts with www, or is an IPv4 address."""
    labels = name.split(".")
    if len(labels) < 2:
        return False
    ending = labels[-1]
    if ending in _TOP_LEVEL or ending.translate(_LOOKALIKES) in _TOP_LEVEL or ending.startswith("xn--"):
        return True
    return labels[0] == "www" or _is_ipv4(labels)


def canonical(name: str) -> str | None:
    """The name in lower case and ASCII (`xn--…`), without `www.`; None when it reads like another name, or can be none."""
    name = name.lower().removeprefix("www.")
    if name.isascii():
        return name
    labels = name.split(".")
    if len(name) > HOST_CHARACTERS or (labels[-1].isascii() and not all(map(_is_unmistakable, name))):
        return None
    return ".".join(label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}" for label in labels)


def _is_ipv4(labels: list[str]) -> bool:
    return len(labels) == 4 and all(map(_byte.fullmatch, labels))


def _is_ipv6(address: str) -> bool:
    try:
        IPv6Address(address)
    except AddressValueError:
        return False
    return True


def _is_unmistakable(character: str) -> bool:
    if character <= _LARGEST_LATIN:
        return character not in _READ_AS_OTHERS
    return unicodedata.name(character, "").startswith(_UNLIKE_LATIN)
