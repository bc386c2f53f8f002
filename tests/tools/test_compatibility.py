"""Promise: docs/compatibility.md says what was found, what does not work as clearly as what does, and is current."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from tests.harness.pi import ROOT
from tools.compatibility import KINDS, PAGE, Found, page, recorded

GOOD: Final = Found(
    version="9.0.0",
    package="@pi/pi",
    capabilities=("notify",),
    notices=(),
    new_members=(),
    missing_members=(),
    failing_calls=(),
    failing_prompts=(),
)


def cells(of: str, **changed: Any) -> list[str]:
    """The cells of a row of the page for two versions, of which the second has these changes."""
    lines = page((GOOD, msgspec.structs.replace(GOOD, **changed))).splitlines()
    (row,) = [line for line in lines if line.startswith(f"| {of}")]
    return [cell.strip() for cell in row.strip("|").split("|")][1:]


def test_what_does_not_work_is_told() -> None:
    assert cells("notifications", capabilities=()) == ["yes", "**no**"]
    assert cells("call `setTitle`", failing_calls=("`setTitle`",)) == ["yes", "**no**"]
    assert cells("prompt `select`", failing_prompts=("select",)) == ["yes", "**no**"]
    assert cells("members of `ctx.ui` that we", new_members=("hologram", "smell")) == ["-", "`hologram`, `smell`"]
    assert cells("members that it does", missing_members=("notify",)) == ["-", "`notify`"]
    assert cells("what its extension", notices=("It cannot.",)) == ["-", "It cannot."]


def test_the_page_is_written_from_what_was_found() -> None:
    assert PAGE.read_text() == page(recorded()), "write it anew: make compatibility"
    assert [one.version for one in recorded()] == [kind.version for kind in KINDS]


def test_each_version_is_pinned_with_a_lock_that_names_no_place() -> None:
    for kind, found in zip(KINDS, recorded(), strict=True):
        folder = ROOT / "tools" / f"pi-{kind.version}"
        wanted = msgspec.json.decode((folder / "package.json").read_bytes())["dependencies"]
        assert wanted == {found.package: kind.version}
        lock = (folder / "package-lock.json").read_text()
        assert '"resolved": "http' not in lock
        assert len(re.findall(r'"integrity": "sha512-', lock)) > 50
