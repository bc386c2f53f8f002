"""Promise: both sides of the bridge compute the same places from the same environment, and socket paths fit."""

from __future__ import annotations

import json
import os
import pwd
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.paths import Paths, locate, paths_here, socket_path_limit

if TYPE_CHECKING:
    from collections.abc import Mapping


class Case(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    env: dict[str, str]
    platform: str
    uid: int
    home: str
    expect: dict[str, str]


FIXTURE = Path(__file__).parents[2] / "fixtures" / "paths.json"
CASES = msgspec.json.decode(FIXTURE.read_bytes(), type=list[Case])


def as_wire(paths: Paths) -> dict[str, str]:
    return {re.sub(r"_(\w)", lambda match: match[1].upper(), name): str(getattr(paths, name)) for name in Paths.__slots__}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_shared_fixture_holds(case: Case) -> None:
    assert as_wire(locate(case.env, case.platform, case.uid, case.home)) == case.expect


def test_the_fixture_says_each_thing_once() -> None:
    questions = [json.dumps([case.env, case.platform, case.uid, case.home]) for case in CASES]
    assert len(set(questions)) == len(questions)


@given(
    st.dictionaries(st.sampled_from(["XDG_RUNTIME_DIR", "XDG_STATE_HOME"]), st.text(min_size=1, max_size=120).map("/".__add__)),
    st.sampled_from(["linux", "darwin"]),
    st.text(max_size=120).map("/".__add__),
)
def test_every_socket_path_fits_the_system(env: Mapping[str, str], platform: str, home: str) -> None:
    paths = locate({name: value for name, value in env.items() if "\0" not in value}, platform, 4294967295, home)
    for path in (paths.bridge_socket, paths.control_socket, paths.screen_socket):
        assert len(str(path).encode("utf-8", "surrogatepass")) <= socket_path_limit(platform)


def test_two_long_directories_get_two_short_ones() -> None:
    long = [locate({"XDG_RUNTIME_DIR": "/" + "r" * 120 + end}, "linux", 1, "/h").runtime_dir for end in "ab"]
    assert long[0] != long[1]
    assert {path.parent for path in long} == {Path("/tmp/mirrord-1")}


def test_a_name_that_is_not_utf_8_is_measured_and_hashed_all_the_same() -> None:
    undecodable = os.fsdecode(b"/\xff" + b"r" * 120)
    assert locate({"XDG_RUNTIME_DIR": undecodable}, "linux", 1, "/h").runtime_dir.parent == Path("/tmp/mirrord-1")


def test_this_process_is_located_from_its_own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/of/a/test")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/of/a/test")
    assert paths_here() == locate(os.environ, sys.platform, os.getuid(), "/home/of/a/test")
    assert paths_here().runtime_dir == Path("/run/of/a/test/mirrord")


@pytest.mark.parametrize("home", [None, "", "relative/home"])
def test_without_a_usable_home_variable_the_user_database_decides(monkeypatch: pytest.MonkeyPatch, home: str | None) -> None:
    monkeypatch.delenv("HOME") if home is None else monkeypatch.setenv("HOME", home)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert paths_here().config_file.is_relative_to(pwd.getpwuid(os.getuid()).pw_dir)
