"""Run `mirrord` as people do: a process of its own, in an environment that holds nothing of the person's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

MIRRORD = (sys.executable, "-m", "mirrord")
PATIENCE = 20.0


def environment(root: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Every place that mirrord uses lies below `root`."""
    places = {f"XDG_{name}": str(root / name.lower()) for name in ("STATE_HOME", "DATA_HOME", "CONFIG_HOME")}
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "XDG_RUNTIME_DIR": str(root),
        **places,
        **(extra or {}),
    }


def run(root: Path, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`mirrord ARGUMENTS`, to its end."""
    return subprocess.run(
        [*MIRRORD, *arguments],
        env=environment(root, env),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
