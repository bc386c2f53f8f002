"""Copies of our extension that differ from the original in chosen places."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.harness.pi import ROOT

ORIGINAL: Final = ROOT / "bridge" / "extension"
# Pi shows an extension by the name of its folder, and so do we install it.
NAME: Final = "mirrord"


def extension_copy(parent: Path, edits: Mapping[str, tuple[str, str]] | None = None, files: Mapping[str, str] | None = None) -> Path:
    """A copy in `parent`/mirrord, for --extension or Pi's settings.

    `edits` maps a file to a text that must be in it once and what stands there instead; `files` maps a file to its whole text.
    """
    folder = parent / NAME
    shutil.copytree(ORIGINAL, folder)
    for name, (before, after) in (edits or {}).items():
        text = (folder / name).read_text()
        assert text.count(before) == 1, f"{name} holds {before!r} {text.count(before)} times"
        (folder / name).write_text(text.replace(before, after))
    for name, text in (files or {}).items():
        (folder / name).write_text(text)
    return folder


def inert_extension(parent: Path) -> Path:
    """An extension in `parent`/mirrord that does nothing at all."""
    folder = parent / NAME
    folder.mkdir(parents=True)
    (folder / "index.ts").write_text("export default function inert(): void {}\n")
    return folder
