"""Promise: `mirrord pi` takes for private what the extension takes for private, by the same patterns, and what cannot be read."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from bridge.privacy import CONFIG_BYTES, covers, is_switched_off, private_reason

CONFIGS = Path(__file__).parents[2] / "fixtures" / "config"
FOLDERS: dict[str, Any] = json.loads((CONFIGS / "folders.json").read_text())
HOME: str = FOLDERS["home"]
EXPECTED: dict[str, dict[str, Any] | None] = json.loads((CONFIGS / "expected.json").read_text())


@pytest.mark.parametrize(("pattern", "folder"), FOLDERS["covered"])
def test_a_pattern_covers(pattern: str, folder: str) -> None:
    assert covers(pattern, folder, HOME)


@pytest.mark.parametrize(("pattern", "folder"), FOLDERS["left"])
def test_a_pattern_leaves(pattern: str, folder: str) -> None:
    assert not covers(pattern, folder, HOME)


def test_many_wildcards_are_matched_in_time_that_grows_with_the_lengths() -> None:
    began = time.process_time()
    assert not covers("/" + "*a" * 200 + "b", "/" + "a" * 250, HOME)
    assert not covers("/" + "**/a/" * 200 + "b", "/" + "a/" * 2000, HOME)
    assert time.process_time() - began < 5


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_configuration_means_what_it_means_to_the_extension(name: str) -> None:
    expected = EXPECTED[name]
    reason = private_reason(CONFIGS / f"{name}.toml", "/somewhere/nobody/names", HOME)
    if expected is None:
        assert reason == f"{CONFIGS / name}.toml cannot be used"
    else:
        assert (reason is None) == expected["mirror"]


def test_no_configuration_mirrors(tmp_path: Path) -> None:
    assert private_reason(tmp_path / "config.toml", str(tmp_path), HOME) is None


def test_a_folder_is_excluded_also_through_a_symbolic_link(tmp_path: Path) -> None:
    work = tmp_path / "work" / "secret"
    work.mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "work")
    config = tmp_path / "config.toml"
    config.write_text('exclude = ["~/link/secret"]')
    assert private_reason(config, str(work), str(tmp_path)) == f'the folder is excluded by "~/link/secret" in {config}'
    assert private_reason(config, str(tmp_path / "work"), str(tmp_path)) is None
    config.write_text('exclude = ["~/work/*"]')
    assert private_reason(config, str(tmp_path / "link" / "secret"), str(tmp_path)) is not None


def test_what_is_no_file_or_too_large_is_not_read(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("#" + "x" * (CONFIG_BYTES - 1))
    assert private_reason(config, "/", HOME) is None
    config.write_text("#" + "x" * CONFIG_BYTES)
    assert private_reason(config, "/", HOME) == f"{config} cannot be used"
    config.write_text("a = " + "[" * 30_000)
    assert private_reason(config, "/", HOME) == f"{config} cannot be used"
    config.unlink()
    os.mkfifo(config)
    assert private_reason(config, "/", HOME) == f"{config} cannot be used"


@pytest.mark.parametrize(("word", "off"), [("0", True), (" Off ", True), ("no", True), ("", False), ("1", False), ("nothing", False)])
def test_the_switch(word: str, off: bool) -> None:
    assert is_switched_off({"MIRRORD": word}) is off
