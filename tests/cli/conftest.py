"""A short runtime directory, because a socket's path holds 107 bytes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A private `mirrord` folder, as below XDG_RUNTIME_DIR; its parent is what that variable must name."""
    root = Path(tempfile.mkdtemp(prefix="mirrord-cli-", dir="/tmp"))
    folder = root / "mirrord"
    folder.mkdir(mode=0o700)
    yield folder
    shutil.rmtree(root)
