"""The built web client as responses: an exact list of paths, read once, each with the headers that fence a page in.

No file is looked for when a request comes: what is not in the list does not exist, so there is no path to climb out of.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Final

import mirrord

DIST: Final = Path(mirrord.__file__).parent / "web" / "dist"
"""Where the build puts the client, and the wheel carries it."""

INDEX: Final = "index.html"
HASHED: Final = "/assets/"
"""Below it a name holds a digest of its content, so whoever has the file never needs to ask again."""

SECURITY_HEADERS: Final = (
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; "
        "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    (
        "Permissions-Policy",
        "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), "
        "microphone=(), midi=(), payment=(), serial=(), usb=(), xr-spatial-tracking=()",
    ),
)
"""On everything that the network listener answers, errors included."""

NOT_BUILT: Final = "The web client of this mirrord is not built; run `make setup` in its source folder and start the daemon again.\n"

_ONCE: Final = "no-store"
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}
_PACKED_ALREADY: Final = frozenset((".ico", ".png"))


@dataclass(frozen=True, slots=True)
class Page:
    """One response: its own headers, without the security ones."""

    status: HTTPStatus
    headers: tuple[tuple[str, str], ...]
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class _File:
    headers: tuple[tuple[str, str], ...]
    body: bytes
    packed: bytes | None


@dataclass(frozen=True, slots=True)
class Pages:
    """Every file of the client by its path; `/` is always among the paths, and says so when there is no client."""

    _files: dict[str, _File]
    paths: frozenset[str]
    """What may be asked for."""

    def answer(self, path: str, accept_encoding: str) -> Page:
        """The response for one of `paths`, packed where the browser takes that."""
        file = self._files.get(path)
        if file is None:
            return Page(HTTPStatus.NOT_FOUND, _headers(".txt", _ONCE), NOT_BUILT.encode())
        if file.packed is not None and _takes_gzip(accept_encoding):
            return Page(HTTPStatus.OK, (*file.headers, ("Content-Encoding", "gzip")), file.packed)
        return Page(HTTPStatus.OK, file.headers, file.body)


def read_pages(directory: Path = DIST) -> Pages:
    """The client that was built into `directory`, or none. Blocks."""
    found = {f"/{file.relative_to(directory).as_posix()}": file for file in directory.rglob("*") if file.is_file()}
    files = {path: _read(path, file) for path, file in found.items() if file.suffix in _TYPES}
    index = files.pop(f"/{INDEX}", None)
    if index is not None:
        files["/"] = index
    return Pages(files, frozenset(files) | {"/"})


def _read(path: str, file: Path) -> _File:
    body = file.read_bytes()
    packed = None if file.suffix in _PACKED_ALREADY else gzip.compress(body, mtime=0)
    if packed is not None and len(packed) >= len(body):
        packed = None
    headers = _headers(file.suffix, _FOR_EVER if path.startswith(HASHED) else _ONCE)
    return _File(headers if packed is None else (*headers, ("Vary", "Accept-Encoding")), body, packed)


def _headers(suffix: str, caching: str) -> tuple[tuple[str, str], ...]:
    return ("Content-Type", _TYPES[suffix]), ("Cache-Control", caching)


def _takes_gzip(accept_encoding: str) -> bool:
    """Whether the header names gzip without a quality of zero."""
    for part in accept_encoding.split(","):
        coding, _, quality = part.partition(";")
        if coding.strip().lower() == "gzip":
            return quality.strip().lower().replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
