"""Promise: `mirrord config` tells every setting, why it is so, and what is wrong, to people and to programs."""

from __future__ import annotations

import json
from pathlib import Path

from mirrord.config import KEYS
from tests.cli.commands import run


def test_settings_origins_and_what_is_wrong_are_told(runtime: Path) -> None:
    root = runtime.parent
    file = root / "config_home" / "mirrord" / "config.toml"
    assert run(root, "config", "path").stdout == f"{file}\n"
    done = run(root, "config", "check")
    assert (done.returncode, done.stdout) == (0, f"There is no {file}; every setting has its default.\n")

    file.parent.mkdir(parents=True)
    file.write_text("port = 4000\n")
    done = run(root, "config", "show", "--origin", env={"MIRRORD_RETENTION_DAYS": "3"})
    rows = {line.split()[0]: line.split(maxsplit=2) for line in done.stdout.splitlines()}
    assert (done.returncode, done.stderr, set(rows)) == (0, "", set(KEYS))
    assert rows["port"] == ["port", "4000", f"{file}:1"]
    assert rows["retention_days"] == ["retention_days", "3", "MIRRORD_RETENTION_DAYS"]
    assert rows["ask"] == ["ask", "true", "default"]
    assert run(root, "config", "check").stdout == f"{file} is right.\n"

    file.write_text("prot = 4000\nmirror = 1\n")
    shown = run(root, "config", "show", "--json")
    assert shown.returncode == 1
    told = json.loads(shown.stdout)
    assert told["settings"]["mirror"]["value"] is False
    assert [problem["line"] for problem in told["problems"]] == [1, 2]
    done = run(root, "config", "check")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"mirrord: {file}:1: prot is no setting; did you mean port?",
        f"mirrord: {file}:2: mirror must be true or false, not 1",
        "mirrord: until this is mended, every session stays private",
    ]
