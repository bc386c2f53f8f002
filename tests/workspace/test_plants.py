"""Promise: a planted repository executes nothing, also where Pi trusts the project; and each plant is shown to fire under plain Git."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from mirrord.core.workspace import Workspace
from mirrord.workspace import git
from mirrord.workspace.look import look
from tests.workspace.repositories import Made, change, make

COMPARED = Workspace("", "tulips", 2, 1)
BRANCH_ALONE = Workspace("", "tulips")
"""Where a filter or a fetch would have to run, nothing is compared."""


@dataclass(slots=True)
class Garden:
    """A repository with changes, and a program that leaves a mark when it runs."""

    made: Made
    folder: Path
    """Where the session works."""
    fired: Path
    program: Path
    env: dict[str, str] = field(default_factory=dict)
    """What the surroundings of plain Git have in addition."""
    command: tuple[str, ...] = ("diff", "HEAD", "--")
    """How plain Git makes it fire."""
    terminal: bool = False
    """Plain Git needs one for it."""

    def config(self, *arguments: str) -> None:
        """Set something in the repository's configuration."""
        self.made.git("config", *arguments)

    def run_plain_git(self) -> None:
        """What a person's shell or editor would do."""
        command = ["git", *self.command]
        home = {"HOME": str(self.made.root.parent), "GIT_CONFIG_NOSYSTEM": "1", "TERM": "dumb"}
        env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | home | self.env
        if not self.terminal:
            subprocess.run(command, cwd=self.folder, env=env, capture_output=True, check=False, timeout=30)
            return
        ours, theirs = pty.openpty()
        subprocess.run(command, cwd=self.folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs, check=False, timeout=30)
        os.close(ours)
        os.close(theirs)


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    made = make(tmp_path / "garden")
    fired, program = tmp_path / "fired", tmp_path / "plant"
    program.write_text(f"#!/bin/sh\ntouch '{fired}'\n")
    program.chmod(0o755)
    change(made)
    # Same size and an old time would hide the change from Git's look at the index.
    os.utime(made.root / "beds.txt", (1, 1))
    return Garden(made, made.root, fired, program)


Plant = Callable[[Garden], Workspace]
"""Plants something, and says what is to be seen of the folder all the same."""


def fsmonitor(garden: Garden) -> Workspace:
    garden.config("core.fsmonitor", str(garden.program))
    return COMPARED


def fsmonitor_in_an_included_file(garden: Garden) -> Workspace:
    garden.made.write(".git/more", f"[core]\n\tfsmonitor = {garden.program}\n")
    garden.config("include.path", "more")
    return COMPARED


def fsmonitor_in_a_file_included_for_this_folder(garden: Garden) -> Workspace:
    garden.made.write("more", f"[core]\n\tfsmonitor = {garden.program}\n")
    garden.config(f"includeIf.gitdir:{garden.made.root}/.path", "../more")
    return COMPARED


def fsmonitor_of_one_worktree(garden: Garden) -> Workspace:
    garden.config("extensions.worktreeConfig", "true")
    garden.made.git("config", "--worktree", "core.fsmonitor", str(garden.program))
    return COMPARED


def fsmonitor_behind_a_linked_git_folder(garden: Garden) -> Workspace:
    fsmonitor(garden)
    (garden.made.root / ".git").rename(garden.made.root.parent / "elsewhere")
    (garden.made.root / ".git").symlink_to(garden.made.root.parent / "elsewhere")
    return COMPARED


def fsmonitor_behind_a_git_file(garden: Garden) -> Workspace:
    fsmonitor(garden)
    (garden.made.root / ".git").rename(garden.made.root.parent / "elsewhere")
    garden.made.write(".git", "gitdir: ../elsewhere\n")
    return COMPARED


def fsmonitor_with_working_files_elsewhere(garden: Garden) -> Workspace:
    fsmonitor(garden)
    (garden.made.root.parent / "elsewhere").mkdir()
    garden.config("core.worktree", str(garden.made.root.parent / "elsewhere"))
    return COMPARED


def fsmonitor_of_a_submodule(garden: Garden) -> Workspace:
    inner = make(garden.made.root.parent / "inner")
    garden.made.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "inner")
    garden.made.git("commit", "--quiet", "--message", "inner")
    garden.config("submodule.inner.ignore", "none")
    garden.config("diff.ignoreSubmodules", "none")
    Made(garden.made.root / "inner").git("config", "core.fsmonitor", str(garden.program))
    return COMPARED


def filter_of_a_submodule(garden: Garden) -> Workspace:
    seen = fsmonitor_of_a_submodule(garden)
    inner = Made(garden.made.root / "inner")
    inner.git("config", "--unset", "core.fsmonitor")
    inner.git("config", "filter.planted.clean", str(garden.program))
    inner.write(".gitattributes", "*.txt filter=planted\n")
    # Of the size that the index has, so that only the content tells.
    os.utime(inner.write("beds.txt", "north\nsouth\nwest\n"), (1, 1))
    return seen


def fsmonitor_of_a_bare_repository_among_the_files(garden: Garden) -> Workspace:
    inner = make(garden.made.root.parent / "inner")
    inner.git("config", "core.fsmonitor", str(garden.program))
    inner.git("config", "core.worktree", "..")
    shutil.copytree(inner.root / ".git", garden.made.root / "bare")
    garden.folder = garden.made.root / "bare"
    return COMPARED


def hook_after_a_change_of_the_index(garden: Garden) -> Workspace:
    shutil.copy(garden.program, garden.made.root / ".git" / "hooks" / "post-index-change")
    garden.made.write("beds.txt", "north\nsouth\neast\n")
    os.utime(garden.made.root / "beds.txt", (1, 1))
    garden.command = ("status",)
    return Workspace("", "tulips", 0, 0)


def hook_in_a_folder_of_its_own(garden: Garden) -> Workspace:
    seen = hook_after_a_change_of_the_index(garden)
    shutil.move(garden.made.root / ".git" / "hooks", garden.made.root.parent / "hooks")
    garden.config("core.hooksPath", str(garden.made.root.parent / "hooks"))
    return seen


def differ(garden: Garden) -> Workspace:
    garden.config("diff.external", str(garden.program))
    return COMPARED


def differ_of_an_attribute(garden: Garden) -> Workspace:
    garden.made.write(".gitattributes", "*.txt diff=planted\n")
    garden.config("diff.planted.command", str(garden.program))
    return COMPARED


def converter(garden: Garden) -> Workspace:
    garden.made.write(".git/info/attributes", "*.txt diff=planted\n")
    garden.config("diff.planted.textconv", str(garden.program))
    return COMPARED


def filter_when_files_are_read(garden: Garden) -> Workspace:
    garden.made.write(".gitattributes", "*.txt filter=planted\n")
    garden.config("filter.planted.clean", str(garden.program))
    return BRANCH_ALONE


def filter_named_in_a_folder_below(garden: Garden) -> Workspace:
    garden.made.write("deep/roses.txt", "red\n")
    garden.made.commit()
    garden.made.write("deep/.gitattributes", "*.txt filter=planted\n")
    garden.made.write("deep/roses.txt", "white\n")
    garden.config("filter.planted.clean", str(garden.program))
    return BRANCH_ALONE


def filter_that_keeps_running(garden: Garden) -> Workspace:
    garden.made.write(".git/info/attributes", "*.txt filter=planted\n")
    garden.config("filter.planted.process", str(garden.program))
    return BRANCH_ALONE


def filter_when_files_are_written(garden: Garden) -> Workspace:
    garden.made.write(".gitattributes", "*.txt filter=planted\n")
    garden.config("filter.planted.smudge", str(garden.program))
    garden.command = ("checkout", "HEAD", "beds.txt")
    return BRANCH_ALONE


def filter_in_an_included_file_written_in_capitals(garden: Garden) -> Workspace:
    garden.made.write(".git/more", f'[FILTER "a.b"]\n\tCLEAN = {garden.program}\n')
    garden.made.write("deep/roses.txt", "red\n")
    garden.made.commit()
    garden.made.write("deep/.gitattributes", "*.txt filter=a.b\n")
    garden.made.write("deep/roses.txt", "white\n")
    garden.config("include.path", "more")
    return BRANCH_ALONE


def pager(garden: Garden) -> Workspace:
    garden.config("core.pager", str(garden.program))
    garden.terminal = True
    return COMPARED


def pager_of_diffs(garden: Garden) -> Workspace:
    garden.config("pager.diff", str(garden.program))
    garden.terminal = True
    return COMPARED


def alias(garden: Garden) -> Workspace:
    garden.config("alias.planted", f"!{garden.program}")
    garden.command = ("planted",)
    return COMPARED


def transport_for_a_missing_object(garden: Garden) -> Workspace:
    """What a partial clone lacks is fetched while Git compares."""
    blob = garden.made.git("rev-parse", "HEAD:beds.txt").strip()
    (garden.made.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    garden.config("remote.origin.url", "ssh://nowhere/garden")
    garden.config("remote.origin.promisor", "true")
    garden.config("core.repositoryFormatVersion", "1")
    garden.config("extensions.partialClone", "origin")
    garden.config("core.sshCommand", str(garden.program))
    return BRANCH_ALONE


def transport_that_is_not_needed(garden: Garden) -> Workspace:
    """All objects are there, and it is not known beforehand."""
    seen = transport_for_a_missing_object(garden)
    garden.made.write("beds.txt", "north\nsouth\neast\n")
    garden.made.git("hash-object", "-w", "beds.txt")
    change(garden.made)
    garden.command = ("fetch",)
    return seen


def surroundings(garden: Garden) -> Workspace:
    """The daemon was started from a shell that had this."""
    garden.env = {"GIT_EXTERNAL_DIFF": str(garden.program)}
    return COMPARED


def surroundings_with_settings(garden: Garden) -> Workspace:
    garden.env = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": str(garden.program)}
    return COMPARED


def settings_of_the_person(garden: Garden) -> Workspace:
    """A filter that every repository of a person's may use, such as that of large files."""
    garden.made.root.parent.joinpath(".gitconfig").write_text(f'[filter "planted"]\n\tclean = {garden.program}\n')
    garden.made.write("deep/roses.txt", "red\n")
    garden.made.commit()
    garden.made.write("deep/.gitattributes", "*.txt filter=planted\n")
    garden.made.write("deep/roses.txt", "white\n")
    garden.env = {"HOME": str(garden.made.root.parent)}
    return Workspace("", "tulips", 1, 1)


def git_among_the_files(garden: Garden) -> Workspace:
    shutil.copy(garden.program, garden.made.root / "git")
    garden.env = {"PATH": f".:{garden.made.root}:{os.environ['PATH']}"}
    return COMPARED


PLANTS: list[Plant] = [
    fsmonitor,
    fsmonitor_in_an_included_file,
    fsmonitor_in_a_file_included_for_this_folder,
    fsmonitor_of_one_worktree,
    fsmonitor_behind_a_linked_git_folder,
    fsmonitor_behind_a_git_file,
    fsmonitor_with_working_files_elsewhere,
    fsmonitor_of_a_submodule,
    filter_of_a_submodule,
    fsmonitor_of_a_bare_repository_among_the_files,
    hook_after_a_change_of_the_index,
    hook_in_a_folder_of_its_own,
    differ,
    differ_of_an_attribute,
    converter,
    filter_when_files_are_read,
    filter_named_in_a_folder_below,
    filter_that_keeps_running,
    filter_when_files_are_written,
    filter_in_an_included_file_written_in_capitals,
    pager,
    pager_of_diffs,
    alias,
    transport_for_a_missing_object,
    transport_that_is_not_needed,
    surroundings,
    surroundings_with_settings,
    settings_of_the_person,
    git_among_the_files,
]


def looked(folder: Path, *, trusted: bool) -> Workspace:
    async def once() -> Workspace:
        seen = await look(str(folder), trusted, anyio.CapacityLimiter(1))
        assert seen.workspace is not None
        return seen.workspace

    return anyio.run(once)


def index_of(garden: Garden) -> bytes:
    git_dir = garden.made.root / ".git"
    return ((git_dir if git_dir.is_dir() else garden.made.root.parent / "elsewhere") / "index").read_bytes()


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_a_planted_repository_executes_nothing(garden: Garden, plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = plant(garden)
    garden.fired.unlink(missing_ok=True)
    for name, value in garden.env.items():
        monkeypatch.setenv(name, value)
    index = index_of(garden)
    untrusted = looked(garden.folder, trusted=False)
    trusted = looked(garden.folder, trusted=True)
    assert not garden.fired.exists()
    assert (untrusted.branch, untrusted.additions, untrusted.deletions) == (expected.branch, None, None)
    assert (trusted.branch, trusted.additions, trusted.deletions) == (expected.branch, expected.additions, expected.deletions)
    assert index_of(garden) == index, "it wrote to the repository"

    garden.run_plain_git()
    assert garden.fired.exists(), "this plant proves nothing: plain Git does not run it either"


def test_a_transport_that_is_configured_between_two_calls_is_not_used_either(garden: Garden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "_FORBIDDEN", re.compile(b"(?!)"))
    transport_for_a_missing_object(garden)
    assert looked(garden.folder, trusted=True).additions is None
    assert not garden.fired.exists()
