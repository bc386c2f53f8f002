"""Promise: the branch is the one that is checked out, the numbers are what differs from the last commit, or there are none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import anyio
import pytest

from mirrord.core.workspace import Workspace
from mirrord.workspace import git
from mirrord.workspace.look import BRANCH_CLUSTERS, Look, look
from mirrord.workspace.repository import SHORT_HASH
from tests.places import wait_until_dead
from tests.workspace.repositories import Made, change, make


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make(tmp_path / "garden")


def looked(folder: Path, *, trusted: bool = True) -> Look:
    async def once() -> Look:
        return await look(str(folder), trusted, anyio.CapacityLimiter(1))

    return anyio.run(once)


def seen(folder: Path, *, trusted: bool = True) -> Workspace:
    workspace = looked(folder, trusted=trusted).workspace
    assert workspace is not None
    return workspace


def counts(workspace: Workspace) -> tuple[int | None, int | None]:
    return workspace.additions, workspace.deletions


def test_a_clean_folder_has_its_branch_and_no_changes(made: Made) -> None:
    assert seen(made.root) == Workspace(str(made.root), "tulips", 0, 0)


def test_lines_count_whether_they_are_staged_or_not_and_in_any_folder_below_the_root(made: Made) -> None:
    change(made)
    made.write("deep/new.txt", "one\ntwo\n")
    made.git("add", "deep")
    assert seen(made.root / "deep") == Workspace(str(made.root / "deep"), "tulips", 4, 1)


def test_files_that_git_does_not_track_and_binary_ones_count_nothing(made: Made) -> None:
    made.write("untracked.txt", "1\n2\n3\n")
    (made.root / "picture").write_bytes(bytes(range(256)))
    made.git("add", "picture")
    assert counts(seen(made.root)) == (0, 0)


def test_names_of_files_change_no_number(made: Made) -> None:
    made.write("99\t99\tx", "1\n")
    made.write("two\nlines", "1\n")
    made.write("\u202e", "1\n")
    made.git("add", "--all")
    assert counts(seen(made.root)) == (3, 0)


def test_an_include_from_a_home_that_git_does_not_know_is_none(made: Made) -> None:
    made.git("config", "include.path", "~/more")
    change(made)
    assert counts(seen(made.root)) == (2, 1)


def test_a_renamed_file_went_and_came(made: Made) -> None:
    made.git("mv", "beds.txt", "flowers.txt")
    assert counts(seen(made.root)) == (3, 3)


def test_a_file_of_more_than_16_mib_counts_as_binary(made: Made) -> None:
    large = "tulip\n" * (16 * 1024 * 1024 // 6)
    made.write("small enough.txt", large)
    made.write("too large.txt", large + large[:600])
    made.git("add", "--all")
    assert counts(seen(made.root)) == (len(large) // 6, 0)


def test_an_order_of_files_that_never_comes_is_not_waited_for(made: Made) -> None:
    os.mkfifo(made.root / "order")
    made.git("config", "diff.orderFile", str(made.root / "order"))
    change(made)
    assert counts(seen(made.root)) == (2, 1)


def test_what_stands_around_a_broken_repository_is_not_taken_for_it(made: Made, tmp_path: Path) -> None:
    inside = made.root / "inside"
    (inside / ".git").mkdir(parents=True)
    (inside / ".git" / "HEAD").write_text("ref: refs/heads/broken\n")
    assert seen(inside) == Workspace(str(inside), "broken")
    made.git("clone", "--quiet", "--bare", str(made.root), str(tmp_path / "bare"))
    shutil.copytree(inside / ".git", tmp_path / "bare" / ".git")
    assert seen(tmp_path / "bare") == Workspace(str(tmp_path / "bare"), "broken")


def test_a_project_that_is_not_trusted_shows_its_branch_and_no_numbers(made: Made) -> None:
    change(made)
    assert seen(made.root, trusted=False) == Workspace(str(made.root), "tulips")


def test_a_folder_outside_of_a_repository_is_shown_alone_and_one_that_is_not_there_not_at_all(tmp_path: Path) -> None:
    assert seen(tmp_path) == Workspace(str(tmp_path))
    for gone in (tmp_path / "gone", tmp_path / "nul\0l", tmp_path / ("n" * 300)):
        assert looked(gone) == Look(None)


def test_without_a_branch_the_commit_is_shown(made: Made) -> None:
    made.git("checkout", "--quiet", "--detach")
    assert seen(made.root).branch == made.git("rev-parse", "HEAD")[:SHORT_HASH]


def test_before_the_first_commit_there_is_a_branch_and_nothing_to_compare_with(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    Made(tmp_path / "new").git("init", "--quiet", "--initial-branch", "first/bed")
    assert seen(tmp_path / "new") == Workspace(str(tmp_path / "new"), "first/bed")


def test_another_worktree_has_a_branch_and_changes_of_its_own(made: Made) -> None:
    made.git("worktree", "add", "--quiet", "-b", "roses", str(made.root.parent / "roses"))
    change(made)
    assert seen(made.root.parent / "roses") == Workspace(str(made.root.parent / "roses"), "roses", 0, 0)
    assert seen(made.root) == Workspace(str(made.root), "tulips", 2, 1)


def test_a_submodule_is_a_repository_of_its_own_and_counts_nothing_in_the_one_above(made: Made, tmp_path: Path) -> None:
    inner = make(tmp_path / "inner")
    inner.git("branch", "--move", "roses")
    made.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "-b", "roses", str(inner.root), "inner")
    made.commit()
    change(Made(made.root / "inner"))
    assert seen(made.root / "inner") == Workspace(str(made.root / "inner"), "roses", 2, 1)
    assert counts(seen(made.root)) == (0, 0)


def test_a_git_folder_that_is_a_symbolic_link_is_followed(made: Made) -> None:
    (made.root / ".git").rename(made.root.parent / "elsewhere")
    (made.root / ".git").symlink_to(made.root.parent / "elsewhere")
    change(made)
    assert seen(made.root) == Workspace(str(made.root), "tulips", 2, 1)


def test_what_git_compares_is_the_folder_and_not_where_its_configuration_points(made: Made, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    made.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    change(made)
    assert counts(seen(made.root)) == (2, 1)


def test_a_filter_in_the_attributes_means_that_files_are_not_what_git_compares(made: Made) -> None:
    change(made)
    made.write(".gitattributes", "*.txt filter=lfs diff=lfs\n")
    assert seen(made.root) == Workspace(str(made.root), "tulips")
    made.write(".gitattributes", "*.txt -filter text diff=filtered\n# filters\n")
    assert counts(seen(made.root)) == (2, 1)
    made.write(".git/info/attributes", "*.txt\tfilter=lfs")
    assert counts(seen(made.root)) == (None, None)


@pytest.mark.parametrize(
    ("head", "branch"),
    [
        ("ref: refs/heads/a/b\n", "a/b"),
        ("ref:refs/heads/x", "x"),
        ("ref: refs/remotes/origin/x\n", "refs/remotes/origin/x"),
        ("ref: refs/heads/.invalid\n", None),
        ("ref: refs/heads/\n", None),
        ("ref: ../../../etc/passwd\n", None),
        ("0123456789abcdef0123456789abcdef01234567\n", "0123456"),
        ("secret token\n", None),
        ("", None),
        ("ref: refs/heads/\x1b[31mred\u202e\n", "red"),
        (f"ref: refs/heads/{'b' * 200}\n", "b" * (BRANCH_CLUSTERS - 1) + "…"),
    ],
)
def test_the_head_file_names_a_branch_or_a_commit_or_nothing(made: Made, head: str, branch: str | None) -> None:
    (made.root / ".git" / "HEAD").write_text(head, encoding="utf-8")
    assert seen(made.root, trusted=False).branch == branch


def test_the_head_may_be_a_link_as_git_once_wrote_it_and_no_other_file_is_read_through_one(made: Made, tmp_path: Path) -> None:
    head = made.root / ".git" / "HEAD"
    head.unlink()
    head.symlink_to("refs/heads/tulips")
    assert seen(made.root, trusted=False).branch == "tulips"
    (tmp_path / "secret").write_text("0123456789abcdef0123456789abcdef01234567")
    head.unlink()
    head.symlink_to(tmp_path / "secret")
    assert seen(made.root, trusted=False).branch is None


@pytest.mark.parametrize("name", [".git/HEAD", ".git/commondir", ".gitattributes"])
def test_a_pipe_in_the_place_of_a_file_makes_nothing_wait_but_git_and_that_not_for_long(
    made: Made, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "GIT_SECONDS", 0.2)
    (made.root / name).unlink(missing_ok=True)
    os.mkfifo(made.root / name)
    branch = None if name == ".git/HEAD" else "tulips"
    assert looked(made.root, trusted=False) == Look(Workspace(str(made.root), branch))
    assert looked(made.root) == Look(Workspace(str(made.root), branch), slow=True)


def test_a_bare_repository_is_none(made: Made, tmp_path: Path) -> None:
    made.git("clone", "--quiet", "--bare", str(made.root), str(tmp_path / "bare.git"))
    assert seen(tmp_path / "bare.git") == Workspace(str(tmp_path / "bare.git"))


def test_a_path_is_shown_clean(tmp_path: Path) -> None:
    folder = tmp_path / "bed\u202e\x1b[2Jtulips"
    folder.mkdir()
    shown = seen(folder).folder
    assert "\x1b" not in shown
    assert "\u202e" not in shown


# ---- a Git that does not behave --------------------------------------------------------------------------------------


def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Another program is called git."""
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_git_is_told_of_every_wall_and_of_no_variable_of_the_daemons_own(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MIRRORD_SECRET", "tulip")
    monkeypatch.setenv("GIT_TRACE", "1")
    stand_in(tmp_path, monkeypatch, f'printf "%s\\n" "$@" >> {tmp_path}/told; env >> {tmp_path}/env')
    assert seen(made.root) == Workspace(str(made.root), "tulips", 0, 0)
    told = (tmp_path / "told").read_text().splitlines()
    for wall in ("--no-pager", "--no-ext-diff", "--no-textconv", "core.hooksPath=/dev/null", "core.fsmonitor=false"):
        assert wall in told
    env = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines())
    assert env.keys() - {"PWD", "SHLVL", "_", "OLDPWD"} == git._environment(made.root, "").keys()
    assert (env["GIT_OPTIONAL_LOCKS"], env["GIT_CONFIG_NOSYSTEM"], env["HOME"]) == ("0", "1", "/dev/null")


def test_a_git_that_takes_too_long_is_ended_with_all_that_it_started(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "GIT_SECONDS", 0.2)
    stand_in(tmp_path, monkeypatch, f"(sleep 600; true) & echo $! > {tmp_path}/pid; wait")
    assert looked(made.root) == Look(Workspace(str(made.root), "tulips"), slow=True)
    # Its parent is gone, so init buries it, which takes a moment.
    wait_until_dead(int((tmp_path / "pid").read_text()), None)


def test_a_git_that_says_too_much_is_not_believed(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "OUTPUT_BYTES", 1000)
    stand_in(tmp_path, monkeypatch, "yes")
    assert looked(made.root) == Look(Workspace(str(made.root), "tulips"), slow=True)


@pytest.mark.parametrize("script", ["exit 1", "kill -9 $$"])
def test_a_git_that_fails_leaves_the_branch(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    stand_in(tmp_path, monkeypatch, script)
    assert looked(made.root) == Look(Workspace(str(made.root), "tulips"))


def test_a_git_that_the_path_names_only_from_where_the_daemon_was_started_is_none(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "exit 1")
    monkeypatch.chdir(tmp_path / "bin")
    monkeypatch.setenv("PATH", f".::{os.environ['PATH'].partition(':')[2]}")
    assert counts(seen(made.root)) == (0, 0)


def test_without_git_the_branch_is_there_all_the_same(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert looked(made.root) == Look(Workspace(str(made.root), "tulips"))


def test_fifty_thousand_changed_files_are_counted_or_cost_two_seconds(made: Made) -> None:
    blob = made.git("rev-parse", "HEAD:beds.txt").strip()
    entries = "".join(f"100644 {blob}\tgarden/{number:06}\n" for number in range(50_000))
    made.git("update-index", "--index-info", told=entries)
    made.git("commit", "--quiet", "--message", "many")
    found = looked(made.root)
    assert found.workspace is not None
    assert found.slow or counts(found.workspace) == (0, 150_000)
