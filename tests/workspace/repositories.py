"""Repositories for tests, made by a Git that knows no configuration of this machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgSign=false")


@dataclass(frozen=True, slots=True)
class Made:
    """A repository with one commit, on the branch `tulips`."""

    root: Path

    def git(
        self, *arguments: str, cwd: Path | None = None, told: str = "", check: bool = True, env: Mapping[str, str] | None = None
    ) -> str:
        """Run Git as a person would, with everything that the repository says; `told` is its input."""
        home = {"HOME": str(self.root.parent), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": "@1 +0000", "GIT_COMMITTER_DATE": "@1 +0000"}
        surroundings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | home | dict(env or {})
        done = subprocess.run(
            ["git", *IDENTITY, *arguments],
            cwd=cwd or self.root,
            env=surroundings,
            input=told,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def write(self, name: str, text: str) -> Path:
        """A file of the repository, not added."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def commit(self) -> None:
        """Everything as it is."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "beds")


def make(root: Path) -> Made:
    """A new repository: `beds.txt` has three lines and is committed."""
    root.mkdir(parents=True)
    made = Made(root)
    made.git("init", "--quiet", "--initial-branch", "tulips")
    made.write("beds.txt", "north\nsouth\neast\n")
    made.commit()
    return made


def change(made: Made) -> None:
    """Two lines come, one goes."""
    made.write("beds.txt", "north\nsouth\nwest\nwest\n")
