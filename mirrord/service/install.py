"""Writes the service's files and takes them away, and tells before what that changes. Blocks. Both may be done again and change nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.atomic import replace_file
from mirrord.service.errors import ServiceNotWritable

_MODE: Final = 0o644
"""Nothing in them is secret, and other tools of the person's may read them."""

_FOLDER_MODE: Final = 0o755


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is to be written, or taken away (`after` is None)."""

    path: Path
    before: bytes | None
    after: bytes | None

    def diff(self) -> Iterator[str]:
        """As `diff -u` shows it."""
        old, new = ((text or b"").decode(errors="replace").splitlines() for text in (self.before, self.after))
        names = ("/dev/null" if self.before is None else str(self.path), "/dev/null" if self.after is None else str(self.path))
        return iter(difflib.unified_diff(old, new, *names, lineterm=""))


def changes(wanted: Mapping[Path, bytes]) -> tuple[Change, ...]:
    """What differs from the files that are there. Raises ServiceNotWritable for one that cannot be read."""
    found = ((path, _read(path), content) for path, content in wanted.items())
    return tuple(Change(path, before, content) for path, before, content in found if before != content)


def removals(paths: tuple[Path, ...]) -> tuple[Change, ...]:
    """Those of the files that are there, to be taken away."""
    return tuple(Change(path, before, None) for path in paths if (before := _read(path)) is not None)


def write(files: Mapping[Path, bytes]) -> None:
    """Write each whole. One that a person linked elsewhere (a folder of settings under version control) is written there."""
    for path, content in files.items():
        try:
            path.parent.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
            replace_file(path.resolve(), content, _MODE)
        except (OSError, RuntimeError) as error:
            raise ServiceNotWritable(f"{path} cannot be written ({_reason(error)}); mend the folder and try again") from error


def remove(gone: tuple[Change, ...]) -> None:
    """Take the files and links away, and a folder of drop-ins or links that is empty then."""
    for change in gone:
        try:
            change.path.unlink(missing_ok=True)
        except OSError as error:
            raise ServiceNotWritable(f"{change.path} cannot be removed ({_reason(error)}); remove it by hand") from error
        if change.path.parent.suffix in (".d", ".wants"):
            with suppress(OSError):
                change.path.parent.rmdir()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ServiceNotWritable(f"{path} cannot be read ({_reason(error)}); mend or remove it and try again") from error


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
