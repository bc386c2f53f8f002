"""Copies of our extension that differ from the original in chosen places.

Each has a path of its own that is the same as long as its contents are: Pi keeps what it transpiled by path.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.harness.pi import ROOT

ORIGINAL: Final = ROOT / "bridge" / "extension"
# Pi shows an extension by the name of its folder, and so is ours called where it is installed.
NAME: Final = "mirrord"

BYSTANDER: Final = """\
export default function bystander(pi: any): void {
  for (const event of ["session_start", "session_shutdown"]) pi.on(event, () => {});
  const description = "mirrord: status, pair a device, off or on for this session";
  pi.registerCommand("mirrord", { description, handler: async () => {} });
}
"""

_COPIES: Final = ROOT / ".cache" / "extension-copies"


def extension_copy(label: str, edits: Mapping[str, tuple[str, str]] | None = None, files: Mapping[str, str] | None = None) -> Path:
    """A folder called mirrord with the copy, for --extension or Pi's settings; `label` tells copies with the same contents apart.

    `edits` maps a file to a text that must be in it once and what stands there instead; `files` maps a file to its whole text.
    """
    contents = {path.name: path.read_text() for path in ORIGINAL.glob("*.ts")}
    for name, (before, after) in (edits or {}).items():
        assert contents[name].count(before) == 1, f"{name} holds {before!r} {contents[name].count(before)} times"
        contents[name] = contents[name].replace(before, after)
    return _folder(label, {**contents, **(files or {})})


def inert_extension() -> Path:
    """A folder called mirrord with an extension that does nothing at all."""
    return _folder("inert", {"index.ts": "export default function inert(): void {}\n"})


def bystander() -> Path:
    """A folder called mirrord with an extension that has our command and hears when a session starts, and does nothing else.

    For comparisons in which others' lists of commands, or traces of their errors, are on the screen.
    """
    return _folder("bystander", {"index.ts": BYSTANDER})


def _folder(label: str, contents: Mapping[str, str]) -> Path:
    digest = hashlib.sha256("\0".join(text for item in sorted(contents.items()) for text in item).encode()).hexdigest()[:16]
    made = _COPIES / f"{label}-{digest}"
    if not made.exists():
        _COPIES.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=_COPIES))
        (new / NAME).mkdir()
        for name, text in contents.items():
            (new / NAME / name).write_text(text)
        # Another test may have been faster; then its copy is as good.
        with suppress(OSError):
            new.rename(made)
        shutil.rmtree(new, ignore_errors=True)
    return made / NAME
