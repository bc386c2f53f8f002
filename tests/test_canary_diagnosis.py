"""Promise: the log, metrics, doctor and status, which are made to be shown, and the person's program hold nothing typed, asked or secret.

One daemon in a process of its own meets every way in which such a text comes by, well-formed and not; then all of it is searched.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec
import pytest

from bridge import messages as bridge
from mirrord.cli.status_table import table
from mirrord.client import BadCredential, Local, PairingCode, Remote, connect
from mirrord.client.replies import DaemonStatus
from mirrord.detached import spawn_detached
from mirrord.doctor.checks import judge
from mirrord.doctor.gather import gather
from mirrord.doctor.report import as_object, lines
from mirrord.log_lines import entries
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello
from mirrord.wire import messages as wire
from tests.daemon.test_metrics import get

TYPED = "yellow canary 7f3a"
ASKED = "green canary 9b2c"
ARGUMENT = "blue-canary-1d4e"
PROMPT = bridge.Prompt(id="p", method="input", title=ASKED, opened_at=1, message=ASKED, placeholder=ASKED)
SCRIPT = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"


async def test_nothing_typed_asked_or_secret_is_in_any_of_it(
    at_home: Settings, pi_pid: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    paths, out = at_home.paths, tmp_path / "hook"
    monkeypatch.setenv("MIRRORD_NOTIFY_COMMAND", f'{sys.executable} -c "{SCRIPT}" {out} {ARGUMENT}')
    info = await anyio.to_thread.run_sync(spawn_detached, at_home)
    secrets: list[str] = [TYPED, ASKED]
    said: dict[str, str] = {}
    try:
        async with (
            connect(Local(info.socket), name="owner", kind="test") as owner,
            fake_extension(paths.bridge_socket, hello(pi_pid), PROMPT) as extension,
        ):
            paired = await owner.request("pair", dict, {"name": "phone", "role": "controller"})
            code = await owner.request("pair_code", PairingCode, {"role": "controller"})
            secrets += [paired["token"], code.code, code.code.replace("-", ""), code.url]
            wrong = f"mrd_{'x' * 43}"
            secrets.append(wrong)
            with pytest.raises(BadCredential):
                async with connect(Remote(paired["url"], wrong), name="phone", kind="test"):
                    pass
            async with connect(Remote(paired["url"], paired["token"]), name="phone", kind="test") as phone:
                await phone.subscribe(phone.welcome.sessions[0].session_id)
                for answer in ({"confirmed": True, "value": TYPED}, {"value": TYPED}):
                    await phone.send(wire.ExtensionUIResponse(id="p", **answer))
                forwarded = await extension.until(bridge.Response)
                assert forwarded.text == TYPED
                await extension.say(bridge.ResponseRejected(seq=0, id="p", response_id=forwarded.response_id, reason="invalid"))
                await phone.send(wire.Command(request_id="x", name=TYPED, args={"text": TYPED}))
            async with await anyio.connect_unix(str(paths.bridge_socket)) as stream:
                await stream.send(f'{{"type":"prompt_opened","title":"{ASKED}","text":"{TYPED}"}}\n'.encode())
            with anyio.fail_after(20):
                while not await anyio.to_thread.run_sync(out.exists):  # noqa: ASYNC110 - a file tells nobody
                    await anyio.sleep(0.02)
            said["metrics"] = (await get(paths.control_socket, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"))[2]
            status = await owner.request("status", dict)
            said["status as data"] = json.dumps(status, ensure_ascii=False)
            said["status"] = "\n".join(table(msgspec.convert(status, DaemonStatus), 1))
            rows = judge(await anyio.to_thread.run_sync(gather, os.environ))
            said["doctor"] = "\n".join(lines(rows, 80, False)) + json.dumps(as_object(rows), ensure_ascii=False)
    finally:
        os.kill(info.pid, signal.SIGTERM)
    said["log"] = (paths.state_dir / "daemon.log").read_text()
    said["log as data"] = "\n".join(json.dumps(entry.as_object()) for entry in entries(said["log"].splitlines()))
    said["the person's program"] = out.read_text()
    assert "gate: refused" in said["log"]
    assert "mirrord_gate_refused_total 1" in said["metrics"]
    for where, text in said.items():
        assert text, where
        for secret in secrets:
            assert secret not in text, where
        assert ARGUMENT not in text, where
