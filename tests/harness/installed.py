"""mirrord installed from a wheel into an environment of its own, for another user where that can be, without a network.

What mirrord depends on is copied from the environment that runs the tests, and of that only what the wheel itself asks for: a dependency
that is not declared is missing there as it would be anywhere.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

from tests.harness.pi import ROOT, node

PACKAGE = "pi-mirrord"
OTHER = "nobody"
"""A user that every system has."""

SOURCES = ("bridge", "man", "mirrord", "sanitize", "LICENSE", "README.md", "pyproject.toml")
NOT_BUILT = ("node_modules", "__pycache__", "src", "test")
PATIENCE = 120.0
_IS_THERE = (
    "import subprocess, sys, venv; subprocess.run([sys.executable, '-c', ''], check=True); sys.exit(sys.version_info[:2] != ({}, {}))"
)
"""It starts itself: the one program that setpriv starts is still found with the rights of root."""


def build_wheel(folder: Path, version: str | None = None) -> Path:
    """A wheel of this tree in `folder`; of a copy that differs in nothing but its `version` where that is given."""
    tree = ROOT
    if version is not None:
        tree = folder / "tree"
        for name in SOURCES:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns(*NOT_BUILT))
            else:
                shutil.copy2(source, tree / name)
        module = tree / "mirrord" / "__init__.py"
        module.write_text(re.sub(r'(?m)^__version__ = ".*"$', f'__version__ = "{version}"', module.read_text()))
    return build("wheel", tree, folder / (version or "this"))


def build(target: str, tree: Path, folder: Path) -> Path:
    """A `wheel` or an `sdist` of the tree, in `folder`."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run(command, cwd=tree, check=True, capture_output=True, timeout=PATIENCE)
    (built,) = folder.iterdir()
    return built


@dataclass(frozen=True, slots=True)
class User:
    """Who runs what is installed: `prefix` begins each command line, `python` is an interpreter of our version that they may run."""

    uid: int
    gid: int
    prefix: tuple[str, ...]
    python: Path

    @property
    def is_another(self) -> bool:
        """Whether it is not the one that runs the tests."""
        return self.uid != os.geteuid()


def another_user() -> User:
    """A user without rights where root runs the tests and that user can reach what is needed; else the one who runs them."""
    here = Path(sys.executable).resolve()
    if os.geteuid() == 0 and shutil.which("setpriv") is not None:
        entry = pwd.getpwnam(OTHER)
        prefix = ("setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups", "--no-new-privs", "--")
        reached = _runs([*prefix, "sh", "-c", '"$0" --version', str(node())])
        for python in (here, *_pythons()) if reached else ():
            if _runs([*prefix, str(python), "-c", _IS_THERE.format(*sys.version_info[:2])]):
                return User(entry.pw_uid, entry.pw_gid, prefix, python)
    return User(os.geteuid(), os.getegid(), (), here)


def _pythons() -> Iterator[Path]:
    major, minor = sys.version_info[:2]
    for name in (f"python{major}.{minor}", f"python{major}"):
        for folder in ("/usr/bin", "/usr/local/bin"):
            if (path := Path(folder, name)).exists():
                yield path


def _runs(command: Sequence[str]) -> bool:
    try:
        return subprocess.run(command, cwd="/", capture_output=True, timeout=PATIENCE, check=False).returncode == 0
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment at `folder`, of `user`; `environ` is all that programs in it get."""

    folder: Path
    user: User
    environ: Mapping[str, str]

    @property
    def mirrord(self) -> Path:
        """The program that people type."""
        return self.folder / "bin" / "mirrord"

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """As the user, in their home, to its end."""
        return subprocess.run(
            [*self.user.prefix, *map(str, command)],
            env=dict(self.environ),
            cwd=self.environ["HOME"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def make(self, tools: Path) -> None:
        """An empty environment, and `tools` with pip for it; then what mirrord asks for."""
        done = self.run(self.user.python, "-m", "venv", "--without-pip", self.folder)
        assert done.returncode == 0, done.stderr
        shutil.copytree(Path(str(distribution("pip").locate_file("pip"))), tools / "pip", ignore=shutil.ignore_patterns("__pycache__"))
        (site,) = self.folder.glob("lib/python3.*/site-packages")
        for each in needed():
            _copy(each, site)
        if self.user.is_another:
            for path in (site, *site.rglob("*")):
                os.chown(path, self.user.uid, self.user.gid)

    def pip(self, tools: Path, *arguments: str | Path) -> str:
        """What pip says, run with this environment's own interpreter; AssertionError when it fails."""
        words = ("--no-input", "--isolated", *arguments)
        where = {**self.environ, "PYTHONPATH": str(tools), "PYTHONDONTWRITEBYTECODE": "1"}
        done = Environment(self.folder, self.user, where).run(self.folder / "bin" / "python", "-m", "pip", *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def install(self, tools: Path, wheel: Path) -> None:
        """The wheel, whose dependencies must be there already."""
        self.pip(tools, "install", "--quiet", "--no-index", "--no-cache-dir", "--upgrade", wheel)

    def may_be_written(self, yes: bool) -> None:
        """Take the right to write there from everybody, or give it back to its owner."""
        for path in (self.folder, *self.folder.rglob("*")):
            if not path.is_symlink():
                mode = path.stat().st_mode & 0o777
                path.chmod(mode | 0o200 if yes else mode & ~0o222)


def needed() -> list[Distribution]:
    """Everything that mirrord needs to run, found by what each says it requires."""
    found: dict[str, Distribution] = {}
    open_ = _required(distribution(PACKAGE))
    while open_:
        name = open_.pop()
        if name not in found:
            found[name] = distribution(name)
            open_ += _required(found[name])
    return list(found.values())


def _required(of: Distribution) -> list[str]:
    wanted = map(Requirement, of.requires or ())
    return [each.name.lower() for each in wanted if each.marker is None or each.marker.evaluate({"extra": ""})]


def _copy(installed: Distribution, site: Path) -> None:
    for file in installed.files or ():
        if ".." not in file.parts:
            source, target = Path(str(installed.locate_file(file))), site / file
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
