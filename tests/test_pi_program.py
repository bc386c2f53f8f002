"""Promise: the person's own Pi is found, and a Node that cannot run it is named before Pi dies of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mirrord.pi_program import NodeTooOld, PiNotFound, Version, check_node, find_pi, node_need, satisfies

NEEDS_NODE_22 = {"node": ">=22.19.0"}


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def installed_pi(root: Path, engines: object = NEEDS_NODE_22, shebang: str = "#!/usr/bin/env node") -> Path:
    """A `pi` as npm installs it: a link in a bin folder to a script two folders below its package.json."""
    package = root / "lib" / "node_modules" / "@earendil-works" / "pi-coding-agent"
    script = executable(package / "dist" / "bundle" / "cli.js", f"{shebang}\n")
    (package / "package.json").write_text(json.dumps({"name": "@earendil-works/pi-coding-agent", "version": "1.6.0", "engines": engines}))
    link = root / "bin" / "pi"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(script)
    return link


def node_that_says(folder: Path, version: str) -> Path:
    return executable(folder / "node", f"#!/bin/sh\necho {version}\n")


def path_of(*folders: Path) -> dict[str, str]:
    return {"PATH": os.pathsep.join(map(str, folders)) + os.pathsep + "/usr/bin:/bin"}


def test_the_named_pi_comes_before_the_variable_and_the_path(tmp_path: Path) -> None:
    first, second, third = (executable(tmp_path / name / "pi", "#!/bin/sh\n") for name in "abc")
    env = path_of(third.parent)
    assert find_pi(str(first), env | {"MIRRORD_PI": str(second)}) == first
    assert find_pi(None, env | {"MIRRORD_PI": str(second)}) == second
    assert find_pi(None, env | {"MIRRORD_PI": ""}) == third


def test_no_pi_is_one_sentence_that_says_what_to_do() -> None:
    with pytest.raises(PiNotFound, match=r"^no `pi` was found on PATH; install it with .*, or name it with --pi PATH$"):
        find_pi(None, {"PATH": "/nonexistent"})


def test_a_named_pi_that_is_missing_or_not_executable_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(PiNotFound, match=r"--pi names .* which is no file"):
        find_pi(str(tmp_path / "none"), {})
    plain = tmp_path / "pi"
    plain.write_text("")
    with pytest.raises(PiNotFound, match=r"MIRRORD_PI names .* cannot be executed"):
        find_pi(None, {"MIRRORD_PI": str(plain)})


def test_too_old_a_node_is_named_with_what_pi_needs(tmp_path: Path) -> None:
    pi = installed_pi(tmp_path)
    node = node_that_says(tmp_path / "node20", "v20.20.2")
    sentence = f"^@earendil-works/pi-coding-agent 1.6.0 needs Node >=22.19.0, and {node} is 20.20.2; put a newer Node first on PATH"
    with pytest.raises(NodeTooOld, match=sentence):
        check_node(pi, path_of(node.parent))


def test_a_node_that_is_new_enough_passes(tmp_path: Path) -> None:
    node = node_that_says(tmp_path / "node22", "v22.19.0")
    check_node(installed_pi(tmp_path), path_of(node.parent))


def test_no_node_at_all_is_told(tmp_path: Path) -> None:
    with pytest.raises(NodeTooOld, match="there is no `node` on PATH"):
        check_node(installed_pi(tmp_path), {"PATH": str(tmp_path / "empty")})


def test_the_node_in_the_first_line_counts_rather_than_the_one_on_the_path(tmp_path: Path) -> None:
    old = node_that_says(tmp_path / "old", "v18.0.0")
    new = node_that_says(tmp_path / "new", "v24.0.0")
    with pytest.raises(NodeTooOld, match=r"18\.0\.0"):
        check_node(installed_pi(tmp_path, shebang=f"#!{old}"), path_of(new.parent))


@pytest.mark.parametrize("engines", [{}, {"node": "latest"}, {"node": "~22.19.0 || next"}])
def test_a_need_that_is_not_understood_is_no_refusal(tmp_path: Path, engines: object) -> None:
    node = node_that_says(tmp_path / "node1", "v1.0.0")
    check_node(installed_pi(tmp_path, engines), path_of(node.parent))


def test_a_pi_that_is_no_node_script_needs_no_node(tmp_path: Path) -> None:
    pi = executable(tmp_path / "pi", "#!/bin/sh\nexec something\n")
    assert node_need(pi) is None
    check_node(pi, {"PATH": ""})


def test_a_node_that_says_nothing_is_no_refusal(tmp_path: Path) -> None:
    executable(tmp_path / "odd" / "node", "#!/bin/sh\nexit 1\n")
    check_node(installed_pi(tmp_path), path_of(tmp_path / "odd"))


@pytest.mark.parametrize(
    ("version", "wanted", "verdict"),
    [
        ((22, 19, 0), ">=22.19.0", True),
        ((22, 18, 9), ">=22.19.0", False),
        ((23, 0, 0), ">=22.19", True),
        ((20, 6, 0), ">=20.6.0 <21", True),
        ((21, 0, 0), ">=20.6.0 <21", False),
        ((22, 1, 0), "^20.1 || ^22.1", True),
        ((21, 1, 0), "^20.1 || ^22.1", False),
        ((22, 5, 0), "22", True),
        ((23, 5, 0), "22", False),
        ((22, 5, 0), "22.5.0", True),
        ((22, 5, 1), "22.5.0", False),
        ((22, 5, 0), "*", None),
        ((22, 5, 0), "^20 || ~22", None),
        ((20, 5, 0), "^20 || ~22", True),
    ],
)
def test_ranges(version: Version, wanted: str, verdict: bool | None) -> None:
    assert satisfies(version, wanted) is verdict
