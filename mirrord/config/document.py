"""The file config.toml as it is: its values by dotted name, and on which line each probably stands."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bridge.privacy import CONFIG_BYTES

_HEADER: Final = re.compile(r"\s*\[([A-Za-z0-9_.\s-]+)\]\s*(?:#.*)?")
_ASSIGNMENT: Final = re.compile(r"\s*([A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*=")
_AT_LINE: Final = re.compile(r"\(at line (\d+), column \d+\)$")


@dataclass(frozen=True, slots=True)
class Document:
    """What the file says. `values` has the keys of tables under dotted names; `lines` numbers from 1 those that were found."""

    values: Mapping[str, object] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    exists: bool = False


class DocumentNotUsable(Exception):
    """The file is there and nothing of it can be used; `str()` is why, `line` where that is known."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.line = line


def read_document(path: Path) -> Document:
    """The file at `path`; an empty document when there is none. Raises DocumentNotUsable. Blocks for the time of a small file."""
    try:
        found = path.stat()
        # A pipe or a device could keep whoever reads it waiting.
        if not stat.S_ISREG(found.st_mode):
            raise DocumentNotUsable("it is no file")
        if found.st_size > CONFIG_BYTES:
            raise DocumentNotUsable(f"it is larger than {CONFIG_BYTES // 1024} KiB")
        text = path.read_bytes().decode()
    except FileNotFoundError:
        return Document()
    except UnicodeDecodeError as error:
        raise DocumentNotUsable(f"byte {error.start} is not UTF-8") from None
    except OSError as error:
        raise DocumentNotUsable((error.strerror or type(error).__name__).lower()) from error
    return parse_document(text)


def parse_document(text: str) -> Document:
    """The document that is written so. Raises DocumentNotUsable."""
    try:
        root = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = _AT_LINE.search(str(error))
        why = _AT_LINE.sub("", str(error)).strip().rstrip(".")
        raise DocumentNotUsable(f"it is no TOML: {why[:1].lower()}{why[1:]}", int(at[1]) if at else None) from None
    except ValueError:
        # TOML knows no largest number, and Python reads none of more than some thousand digits.
        raise DocumentNotUsable("a number in it is too long") from None
    except RecursionError:
        raise DocumentNotUsable("it is nested too deep") from None
    return Document(dict(_flat(root)), _lines(text), exists=True)


def _flat(root: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Tables have one level here; what is deeper is no setting, and stays whole under its first two names."""
    for name, value in root.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", each) for inner, each in value.items())
        else:
            yield name, value


def _lines(text: str) -> dict[str, int]:
    """Where each name is set. A line inside a text of several lines may look like one: who is found twice is not told."""
    table, found, twice = "", dict[str, int](), set[str]()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.fullmatch(line):
            table = f"{_dotted(header[1])}."
        elif assignment := _ASSIGNMENT.match(line):
            name = table + _dotted(assignment[1])
            twice |= {name} & found.keys()
            found[name] = number
    return {name: number for name, number in found.items() if name not in twice}


def _dotted(name: str) -> str:
    return ".".join(part.strip() for part in name.split("."))
