"""The copy of the extension that Pi loads, kept equal to the packaged one.

Pi's settings name a file in the data directory, not in the Python package, because the package moves with each upgrade
and each virtual environment. The file is `extension/mirrord/index.ts`: Pi shows the folder of an `index.ts` at start-up,
so a person reads `mirrord`. The same text goes to `-e`, and Pi then loads it once; a folder given to `-e` would be
loaded a second time.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.atomic import replace_file
from bridge.private import ensure_private_dir
from bridge.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENTRY: Final = "index.ts"
_SUFFIX: Final = ".ts"
_MODE: Final = 0o600

_MARKS: Final = ("instance.ts", "privacy.ts", "version.ts")
"""Files of every version; together they are nobody else's."""


class ExtensionNotCopied(Refusal):
    """The data directory cannot take the copy."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"the extension cannot be copied to {path} ({reason}); make room or mend the directory and start again")


def entry_of(data_dir: Path) -> Path:
    """What Pi loads: the value for its settings and for `-e`. Both must be the same text, or Pi loads it twice.

    Its folder is called `mirrord` because Pi shows that name at start-up.
    """
    return data_dir / "extension" / "mirrord" / _ENTRY


def refresh(data_dir: Path) -> Path:
    """Make the copy in `data_dir` equal to the packaged extension and return `entry_of(data_dir)`.

    A file that is equal already is not written. Each other one is replaced whole, the entry last, so that a Pi that is
    loading meanwhile never reads half a file. TypeScript files that are no longer in the package are removed.
    """
    entry = entry_of(data_dir)
    ensure_private_dir(entry.parent)
    packaged = _packaged()
    try:
        for name in sorted(packaged, key=lambda name: (name == _ENTRY, name)):
            _update(entry.with_name(name), packaged[name])
        for path in entry.parent.glob(f"[!.]*{_SUFFIX}"):
            if path.name not in packaged:
                path.unlink(missing_ok=True)
    except OSError as error:
        raise ExtensionNotCopied(entry.parent, error.strerror or str(error)) from error
    return entry


def differing(data_dir: Path) -> tuple[str, ...]:
    """Names of the files in which the copy in `data_dir` and the packaged extension differ; all of them when there is no copy."""
    folder = entry_of(data_dir).parent
    packaged = _packaged()
    extra = {path.name for path in folder.glob(f"[!.]*{_SUFFIX}")} - packaged.keys()
    return tuple(sorted(extra | {name for name, content in packaged.items() if _content(folder / name) != content}))


def is_ours(entry: Path) -> bool:
    """Whether this is a copy of the extension, of any version: whoever loads it beside another one loads it twice."""
    return entry.name == _ENTRY and all((entry.parent / name).is_file() for name in (_ENTRY, *_MARKS))


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _packaged() -> Mapping[str, bytes]:
    folder = files("bridge") / "extension"
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.endswith(_SUFFIX)}


def _update(path: Path, content: bytes) -> None:
    if path.is_symlink():
        path.unlink()
    elif path.is_file() and path.read_bytes() == content:
        return
    replace_file(path, content, _MODE)
