"""The short code that a person carries from one screen to the other: ten characters of Crockford's base 32, 50 random bits. Pure."""

from __future__ import annotations

import re
import secrets
from typing import Final

CODE_CHARS: Final = 10
"""50 bits: five tries guess it once in 2^48, and whoever recorded a proof has minutes for 2^49 rounds of a slow hash."""

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without I, L, O and U: what looks alike is read as the digit it looks like."""

_LOOKS_LIKE: Final = str.maketrans("OIL", "011")
_SEPARATORS: Final = re.compile(r"[\s\u2010-\u2015-]+")
_CODE: Final = re.compile(f"[{ALPHABET}]{{{CODE_CHARS}}}")


def new_code() -> str:
    """A code that nobody can guess."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_CHARS))


def shown(code: str) -> str:
    """The code as it is read aloud: `K7QF2-M9XTB`."""
    return f"{code[: CODE_CHARS // 2]}-{code[CODE_CHARS // 2 :]}"


def read_code(typed: str) -> str | None:
    """The code that a person typed, in any case, with or without the dash; None when it is none."""
    code = _SEPARATORS.sub("", typed).upper().translate(_LOOKS_LIKE)
    return code if _CODE.fullmatch(code) else None


def pairing_url(page: str, code: str) -> str:
    """The page's address with the code in its fragment, which a browser sends to nobody."""
    return f"{page}#pair={code}"
