"""Promise: the wheel has all of mirrord, nothing to compile, and the licence of everything in it; a source archive makes the same one."""

from __future__ import annotations

import re
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from mirrord import __version__
from tests.harness.installed import build, build_wheel

ROOT = Path(__file__).parents[1]
EXTENSION = ROOT / "bridge" / "extension"
INFO = f"pi_mirrord-{__version__}.dist-info"
SHARED = f"pi_mirrord-{__version__}.data/data/share/man"
MOST_BYTES = 3 * 1024 * 1024
"""One that grew beyond has something in it that nobody meant to ship."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packages")


@pytest.fixture(scope="module")
def wheel(folder: Path) -> zipfile.ZipFile:
    path = build_wheel(folder)
    assert path.name == f"pi_mirrord-{__version__}-py3-none-any.whl"
    assert path.stat().st_size < MOST_BYTES
    return zipfile.ZipFile(path)


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    return Parser().parsestr(wheel.read(f"{INFO}/METADATA").decode())


def test_it_is_of_python_and_data_alone_and_so_is_of_every_system(wheel: zipfile.ZipFile) -> None:
    assert "Root-Is-Purelib: true" in wheel.read(f"{INFO}/WHEEL").decode()
    assert [name for name in wheel.namelist() if name.endswith((".so", ".pyd", ".dylib", ".c", ".node"))] == []


def test_it_carries_the_extension_the_page_and_the_manuals(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    assert {f"bridge/extension/{path.name}" for path in EXTENSION.glob("*.ts")} <= names
    page = wheel.read("mirrord/web/dist/index.html").decode()
    used = re.findall(r'(?:src|href)="/([^"]+)"', page)
    assert used
    assert {f"mirrord/web/dist/{name}" for name in used} <= names
    assert {f"{SHARED}/man{path.suffix[1:]}/{path.name}" for path in (ROOT / "man").iterdir()} <= names


def test_it_carries_no_tests_no_sources_of_the_page_and_nothing_that_was_made_on_the_way(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert tops == {"bridge", "mirrord", "sanitize", INFO, INFO.replace("dist-info", "data")}
    for part in ("node_modules", "__pycache__", "/test/", "web/src", "package.json", ".map"):
        assert [name for name in wheel.namelist() if part in name] == [], part


def test_it_has_our_licence_and_that_of_everything_in_the_page(wheel: zipfile.ZipFile, metadata: Message) -> None:
    assert metadata["License-Expression"] == "MIT AND BSD-3-Clause AND ISC"
    files = metadata.get_all("License-File")
    assert files == ["LICENSE", "mirrord/web/dist/licenses.txt"]
    texts = [wheel.read(f"{INFO}/licenses/{name}").decode() for name in files]
    assert texts[0] == (ROOT / "LICENSE").read_text()
    found = re.search(r"^const INGREDIENTS = \[(.*)\];$", (ROOT / "mirrord" / "web" / "vite.config.ts").read_text(), re.MULTILINE)
    assert found is not None
    ingredients = re.findall(r'"([^"]+)"', found[1])
    assert ingredients
    assert re.findall(r"^(\S+) [0-9]+\.[0-9]+\.[0-9]+\n\n", texts[1], re.MULTILINE) == ingredients


def test_its_command_is_mirrord_and_push_and_tui_are_extras(wheel: zipfile.ZipFile, metadata: Message) -> None:
    assert "mirrord = mirrord.cli:main" in wheel.read(f"{INFO}/entry_points.txt").decode()
    assert metadata.get_all("Provides-Extra") == ["push", "tui"]
    assert metadata["Requires-Python"] == ">=3.11"


def test_a_source_archive_makes_the_same_wheel(wheel: zipfile.ZipFile, folder: Path) -> None:
    with tarfile.open(build("sdist", ROOT, folder / "sdist")) as archive:
        archive.extractall(folder / "sources", filter="data")
    (tree,) = (folder / "sources").iterdir()
    assert not (tree / ".venv").exists()
    with zipfile.ZipFile(build("wheel", tree, folder / "again")) as again:
        there = {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("RECORD")}
        made = {name: again.read(name) for name in again.namelist() if not name.endswith("RECORD")}
    assert made == there
