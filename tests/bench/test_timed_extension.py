"""Promise: the timed copy is the extension as it is, but for `guard`, which measures; and a `guard` that we do not know is not measured."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from bench.timed_extension import timed_extension
from bench.world import EXTENSION, NotMeasured
from tests.harness.pi import node

SCRIPT = """
import { guard } from "./guard.ts";
const wait = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
const inner = () => {
  wait(2);
  guard("link.put", () => wait(4), undefined);
  guard("dialog.close", () => { throw 1; }, undefined);
};
guard("link.data", inner, undefined);
guard("link.tick", () => wait(1), undefined);
console.log(JSON.stringify(globalThis.mirrordBenchTimes));
"""


def test_nothing_but_guard_is_changed(tmp_path: Path) -> None:
    entry = timed_extension(tmp_path / "timed")
    assert entry.is_file()
    for source in EXTENSION.parent.rglob("*.ts"):
        copy = entry.parent / source.relative_to(EXTENSION.parent)
        assert (copy.read_bytes() == source.read_bytes()) == (source.name != "guard.ts"), source.name


def test_calls_are_timed_by_site_and_what_is_inside_them_is_counted_once(tmp_path: Path) -> None:
    folder = timed_extension(tmp_path / "timed").parent
    (folder / "script.ts").write_text(SCRIPT)
    done = subprocess.run([node(), "--no-warnings", "script.ts"], cwd=folder, capture_output=True, text=True, check=True)
    times = {site: (total, own, outer) for site, total, own, outer in json.loads(done.stdout)}
    assert {site for site, (_, _, outer) in times.items() if outer} == {"link.data", "link.tick"}
    assert times["link.put"][0] >= 4
    assert times["link.data"][0] >= 6
    inside = times["link.put"][0] + times["dialog.close"][0]
    assert times["link.data"][1] == pytest.approx(times["link.data"][0] - inside, abs=1e-6)
    assert times["link.tick"][0] == times["link.tick"][1] >= 1


def test_a_guard_that_is_written_otherwise_is_not_measured(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "guard.ts").write_text("export const guard = () => {};\n")
    with pytest.raises(NotMeasured, match=r"guard\.ts"):
        timed_extension(tmp_path / "timed", tmp_path / "source")
