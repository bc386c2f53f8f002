"""Which inputs ask for a secret and are therefore shown as a masked field.

It stands here because masking is a question of display, asked with the texts that are displayed: what is invisible or
an escape sequence is gone before the words are read, so nothing can hide inside `pass<ZWSP>word`.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Final

from sanitize.strip import drop_private, strip

_SECRETS: Final = frozenset(
    ["password", "passwd", "passcode", "passphrase", "passkey", "pwd", "token", "apikey", "key", "keyphrase", "secret", "pin"]
)
_SPELLED_APART: Final = frozenset({("pass", "word"), ("pass", "phrase"), ("pass", "code"), ("pass", "key")})

# Words in snake_case, camelCase, CAPITALS (with a plural s) and CAPITALSBeforeAWord.
_word: Final = re.compile(r"[A-Z]{2,}s?(?![A-Za-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[^\W\d_]")


def is_secret_prompt(title: str, placeholder: str | None) -> bool:
    """Whether title or placeholder has one of the words password, token, key, secret, passphrase or PIN, in any case,
    plural or usual spelling. Parts of other words (`keyboard`, `monkey`, `pinned`) do not count."""
    return any(_names_a_secret(text) for text in (title, placeholder or ""))


def _names_a_secret(text: str) -> bool:
    words = [word.lower() for word in _word.findall(unicodedata.normalize("NFKC", drop_private(strip(text))))]
    return any(_SECRETS & {word, word.removesuffix("s")} for word in words) or any(
        (first, second.removesuffix("s")) in _SPELLED_APART for first, second in pairwise(words)
    )
