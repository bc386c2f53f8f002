"""Who listens, as the kernel lists it, without a connection. Raises OSError where it does not tell, as on macOS."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Set
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from itertools import chain
from pathlib import Path
from typing import Final

from mirrord.doctor.facts import Listener
from mirrord.settings import LOOPBACK

_UNIX: Final = Path("/proc/net/unix")
_ACCEPTS: Final = b"00010000"
"""The flag __SO_ACCEPTCON of proc_net_unix(5)."""

_TCP: Final = Path("/proc/net/tcp")
_TCP6: Final = Path("/proc/net/tcp6")
_LISTENS: Final = "0A"
"""The state TCP_LISTEN of proc_net_tcp(5)."""

_WORD: Final = 8
"""Addresses are written as numbers of so many digits, in this machine's order of bytes."""


def at_path(path: Path) -> Listener | None:
    """Who accepts at this path; None when nobody does."""
    rows = (row.split(maxsplit=7) for row in _UNIX.read_bytes().splitlines())
    inodes = {row[6].decode() for row in rows if len(row) == 8 and row[7] == os.fsencode(path) and row[3] == _ACCEPTS}
    return Listener(None, tuple(_processes(inodes))) if inodes and path.is_socket() else None


def at_port(port: int) -> Listener | None:
    """Who has this port of 127.0.0.1, if only among others; None when nobody has."""
    users: dict[str, int] = {}
    for line in _tcp():
        row = line.split()
        address, _, number = row[1].partition(":")
        if row[3] == _LISTENS and int(number, 16) == port and _takes_ours(address):
            users[row[9]] = int(row[7])
    return Listener(next(iter(users.values())), tuple(_processes(users.keys()))) if users else None


def _tcp() -> Iterator[str]:
    yield from _TCP.read_text("ascii").splitlines()[1:]
    with suppress(FileNotFoundError):
        # Where the kernel has no IPv6.
        yield from _TCP6.read_text("ascii").splitlines()[1:]


def _takes_ours(shown: str) -> bool:
    words = (shown[start : start + _WORD] for start in range(0, len(shown), _WORD))
    address = ip_address(b"".join(int(word, 16).to_bytes(_WORD // 2, sys.byteorder) for word in words))
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_unspecified or address == IPv4Address(LOOPBACK)


def _processes(inodes: Set[str]) -> Iterator[tuple[int, str]]:
    """Those that have one of these sockets, by pid and name; those of others cannot be looked into."""
    wanted = {f"socket:[{inode}]" for inode in inodes}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and not wanted.isdisjoint(_opened(folder / "fd")):
            yield int(folder.name), _name(folder)


def _opened(folder: Path) -> Iterator[str]:
    # A process may end, or close what it has, while it is looked at.
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):
                yield os.readlink(folder / name)


def _name(folder: Path) -> str:
    """What a process runs; of an interpreter, the module or the script."""
    try:
        program, *words = (folder / "cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
    except OSError:
        program, words = "", []
    if Path(program).name.startswith("python"):
        module = words.index("-m") + 1 if "-m" in words else len(words)
        program = next(chain(words[module:], (word for word in words if not word.startswith("-"))), program)
    return Path(program).name or "a process"
