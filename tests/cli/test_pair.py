"""Promise: `mirrord pair` shows a code, waits until it is used or old, and tells which device it was; `mirrord devices` undoes it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from mirrord.cli.devices_table import table
from mirrord.client import DeviceInfo, Identity, pair
from mirrord.demo.terminal import Terminal
from mirrord.qr import half_blocks, modules
from tests.cli.commands import MIRRORD, PATIENCE, environment, run
from tests.cli.daemons import daemon, stop

URL = re.compile(r"http://127\.0\.0\.1:\d+/#pair=([0-9A-Z]{10})")


@pytest.fixture
def root(runtime: Path) -> Iterator[Path]:
    with daemon(runtime.parent):
        yield runtime.parent


def pair_with(url: str, name: str = "phone") -> Identity:
    """A device that opens this address."""
    code = url.partition("#pair=")[2]
    return anyio.run(pair, url, code, name)


def waiting(root: Path, *arguments: str) -> subprocess.Popen[str]:
    """`mirrord pair ARGUMENTS` without a terminal."""
    return subprocess.Popen(
        [*MIRRORD, "pair", *arguments], env=environment(root), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def in_terminal(root: Path, *arguments: str, columns: int = 80, rows: int = 24) -> Terminal:
    return Terminal([*MIRRORD, "pair", *arguments], env=environment(root), cwd=root, columns=columns, rows=rows)


def devices(root: Path) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(run(root, "devices", "--json").stdout)["devices"]
    return listed


def test_in_a_terminal_the_qr_code_is_black_on_white_and_the_device_is_named_when_it_paired(root: Path) -> None:
    with in_terminal(root) as terminal:
        text = terminal.wait_for(re.compile(r"Good for \d:\d\d more"), PATIENCE)
        found = URL.search(text)
        assert found is not None
        expected = [line.rstrip() for line in half_blocks(modules(found[0]))]
        rows = text.split("\n")
        assert rows[1 : 1 + len(expected)] == expected
        assert f"{found[1][:5]}-{found[1][5:]}" in text
        pair_with(found[0])
        text = terminal.wait_for("phone is paired as controller: whoever holds it can run anything that you can", PATIENCE)
        assert terminal.wait_exit(PATIENCE) == 0
        assert "Good for" not in text
    assert [(each["name"], each["role"], each["kind"]) for each in devices(root)] == [("phone", "controller", "paired")]


def test_in_a_window_that_is_too_narrow_there_are_words_alone(root: Path) -> None:
    with in_terminal(root, "--no-wait", columns=36, rows=40) as terminal:
        assert terminal.wait_exit(PATIENCE) == 0
        text = terminal.history_text()
    assert "No QR code" in text
    assert not set("▀▄█") & set(text)


def test_without_a_terminal_the_address_and_the_code_are_lines_and_the_end_is_told(root: Path) -> None:
    with waiting(root, "--observer") as process:
        assert process.stdout is not None
        head = [process.stdout.readline() for _ in range(6)]
        found = URL.search("".join(head))
        assert found is not None
        assert re.fullmatch(r"Good until \d\d:\d\d:\d\d\.\n", head[-1])
        pair_with(found[0], "wallboard")
        rest, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")
    assert rest == "wallboard is paired as observer: it can watch, and answer nothing. `mirrord devices` can undo it.\n"
    assert "\x1b" not in "".join(head)


def test_for_a_program_there_is_one_object_for_the_code_and_one_for_its_end(root: Path) -> None:
    with waiting(root, "--json") as process:
        assert process.stdout is not None
        code = json.loads(process.stdout.readline())
        assert set(code) == {"offer", "code", "role", "page", "url", "expiresAt"}
        pair_with(code["url"])
        rest, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")
    assert json.loads(rest) == {"outcome": "used", "role": "controller", "device": "phone"}


def test_a_code_that_is_replaced_is_one_sentence_and_status_1(root: Path) -> None:
    with waiting(root, "--json") as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert run(root, "pair", "--no-wait").returncode == 0
        rest, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (1, "mirrord: a newer code took its place\n")
    assert json.loads(rest)["outcome"] == "replaced"


def test_without_waiting_the_code_stays_good(root: Path) -> None:
    code = json.loads(run(root, "pair", "--no-wait", "--json").stdout)
    assert pair_with(code["url"]).name == "phone"


def test_ctrl_c_ends_the_wait_quietly(root: Path) -> None:
    with waiting(root) as process:
        assert process.stdout is not None
        for _ in range(6):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (130, "")


def test_a_daemon_that_stops_ends_the_wait_with_one_sentence(empty: Path) -> None:
    with daemon(empty) as served, waiting(empty) as process:
        assert process.stdout is not None
        for _ in range(6):
            process.stdout.readline()
        served.terminate()
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (1, "mirrord: the daemon stopped (the daemon stops)\n")


def test_an_observers_token_may_be_asked_for_in_both_ways(root: Path) -> None:
    for name, more in (("one", ("--observer",)), ("two", ("--role", "observer"))):
        assert json.loads(run(root, "pair", "--token", name, *more, "--json").stdout)["role"] == "observer"


def test_devices_and_tokens_are_listed_renamed_and_revoked(root: Path) -> None:
    assert run(root, "devices").stdout == "No device may connect. Pair one with `mirrord pair`.\n"
    run(root, "pair", "--token", "script")
    pair_with(json.loads(run(root, "pair", "--no-wait", "--json").stdout)["url"])
    assert [row.split()[:3] for row in run(root, "devices").stdout.splitlines()] == [
        ["NAME", "ROLE", "KIND"],
        ["script", "controller", "token"],
        ["phone", "controller", "paired"],
    ]
    assert run(root, "devices", "rename", "phone", "Ada's phone").stdout == "phone is called Ada's phone now.\n"
    assert run(root, "devices", "revoke", "Ada's phone").stdout == "Ada's phone may not connect any more.\n"
    assert [each["name"] for each in devices(root)] == ["script"]
    again = run(root, "devices", "revoke", "Ada's phone")
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == "mirrord: no device is called Ada's phone; `mirrord devices` lists them\n"
    taken = run(root, "devices", "rename", "script", "local")
    assert (taken.returncode, taken.stderr.count("\n")) == (1, 1)


# ---- the table -------------------------------------------------------------------------------------------------------


def test_the_table_says_when_a_device_was_made_and_seen() -> None:
    day = 86_400_000
    rows = list(
        table(
            [
                DeviceInfo("1", "日本", "controller", "paired", 0, 1, day),
                DeviceInfo("2", "wall", "observer", "token", day, 0, None),
                DeviceInfo("3", "old", "observer", "token", 0, 0, day),
            ],
            now=2 * day,
        )
    )
    assert rows == [
        "NAME  ROLE        KIND    MADE     LAST SEEN",
        "日本  controller  paired  2 d ago  connected",
        "wall  observer    token   1 d ago  never",
        "old   observer    token   2 d ago  1 d ago",
    ]


def test_nothing_in_the_table_can_move_a_cursor() -> None:
    evil = "\x1b[2Ja\x9bb\u202e"
    assert all(row.isprintable() for row in table([DeviceInfo(evil, evil, evil, evil, 0, 0)], now=1))


# ---- before anything is paired ---------------------------------------------------------------------------------------


def serve_in_terminal(root: Path, extra: dict[str, str] | None = None) -> Terminal:
    return Terminal([*MIRRORD, "serve", "--port", "0"], env=environment(root, extra), cwd=root, columns=120, rows=40)


@pytest.fixture
def empty(runtime: Path) -> Iterator[Path]:
    yield runtime.parent
    stop(runtime.parent)


def test_serve_in_a_terminal_shows_a_code_until_a_device_is_paired(empty: Path) -> None:
    with serve_in_terminal(empty) as terminal:
        text = terminal.wait_for("Good for two minutes; run `mirrord pair` for a new one", PATIENCE)
        found = URL.search(text)
        assert found is not None
        pair_with(found[0])
    with serve_in_terminal(empty) as terminal:
        terminal.wait_for("daemon: ready", PATIENCE)
        assert run(empty, "status").returncode == 0
        assert "pair" not in terminal.history_text().replace("paired", "")


@pytest.mark.parametrize("off", ["CI", "config"])
def test_it_can_be_switched_off_and_is_never_shown_to_machines(empty: Path, off: str) -> None:
    if off == "config":
        config = empty / "config_home" / "mirrord" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text("show_pairing = false\n")
    with serve_in_terminal(empty, {"CI": "true"} if off == "CI" else None) as terminal:
        terminal.wait_for("daemon: ready", PATIENCE)
        assert run(empty, "status").returncode == 0
        assert "#pair=" not in terminal.history_text()
