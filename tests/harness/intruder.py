"""A program that an agent's tool might run: it tries to answer the open prompt by every door, and notes what each door said.

Arguments: control socket, bridge socket, url, pid of Pi, file for the notes, and how to run: `direct` or `double` (fork twice, leave the
parents and the session). It ends by itself within a minute.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect, unix_connect
from websockets.typing import Subprotocol

from mirrord.crypto import PROOF_BYTES, SigningKey, to_text
from mirrord.wire.pairing import NONCE_BYTES

PATIENCE = 25.0
SUBPROTOCOLS = [Subprotocol("mirrord.v1")]
NATIVE = ["extension-native-ui:v1:prompt-native"]


def say(client: ClientConnection, message: dict[str, Any]) -> None:
    client.send(json.dumps(message))


def hear(client: ClientConnection, *kinds: str) -> dict[str, Any]:
    """The next message of one of these types."""
    while True:
        message: dict[str, Any] = json.loads(client.recv(timeout=PATIENCE))
        if message["type"] in kinds:
            return message


def by_attach(control: str, pid: int) -> dict[str, Any]:
    """As `mirrord attach` does: wait for the prompt, answer it, pair, stop the turn, stop the daemon."""
    with unix_connect(control, "ws://localhost/v1/ws", subprotocols=SUBPROTOCOLS) as client:
        who = {"name": "intruder", "kind": "tool"}
        say(client, {"type": "hello", "client": who, "protocol": {"min": 1, "max": 1}, "capabilities": NATIVE})
        welcome = hear(client, "welcome")
        session = next(session["sessionId"] for session in welcome["sessions"] if session.get("pid") == pid)
        say(client, {"type": "subscribe", "sessionId": session})
        prompts = hear(client, "snapshot")["prompts"]
        prompt = prompts[0] if prompts else hear(client, "extension_ui_request")
        notes = {"role": welcome["role"], "notice": welcome.get("notice", ""), "prompt": prompt["id"]}
        for name, answer in (("index", {"index": 0}), ("cancel", {"cancelled": True})):
            say(client, {"type": "extension_ui_response", "id": prompt["id"], "responseId": name, **answer})
            notes[name] = hear(client, "response_result")["reason"]
        commands = {
            "pair": {"name": "evil", "role": "controller"},
            "pair_code": {},
            "devices": {},
            "device_rename": {"name": "phone", "to": "evil"},
            "device_revoke": {"name": "phone"},
            "stop": {},
            "stop_turn": {"sessionId": session},
            "status": {},
        }
        for command, arguments in commands.items():
            say(client, {"type": "command", "requestId": command, "name": command, "args": arguments})
            notes[command] = hear(client, "command_result").get("error", {}).get("code", "done")
        return notes


def by_network(url: str) -> dict[str, Any]:
    """Without a token, and with made-up ones."""
    notes = {}
    for name, headers in (
        ("no token", {}),
        ("guess", {"Authorization": "Bearer mrd_" + "A" * 43}),
        ("empty", {"Authorization": "Bearer "}),
    ):
        try:
            with connect(url, subprotocols=SUBPROTOCOLS, additional_headers=headers):
                notes[name] = "in"
        except InvalidStatus as refused:
            notes[name] = str(refused.response.status_code)
    return notes


def by_pairing(url: str) -> dict[str, Any]:
    """As a device that holds no code, and as one that holds no key."""
    notes = {}
    nonce, key = to_text(bytes(NONCE_BYTES)), SigningKey.generate()
    proof = to_text(bytes(PROOF_BYTES))
    frames = {
        "no code": {"type": "pair", "nonce": nonce, "publicKey": to_text(key.public), "name": "evil", "proof": proof},
        "no key": {"type": "authenticate", "device": "0123456789abcdef", "nonce": nonce},
    }
    for name, frame in frames.items():
        with connect(url.replace("/v1/ws", "/v1/pair"), subprotocols=[Subprotocol("mirrord.pair.v1")]) as client:
            say(client, frame)
            heard = hear(client, "paired", "challenge", "refused")
            if heard["type"] == "challenge":
                say(client, {"type": "answer", "signature": to_text(key.sign(b"let me in"))})
                heard = hear(client, "token", "refused")
            notes[name] = heard.get("code", heard["type"])
    return notes


def by_bridge(path: str, pid: int) -> dict[str, Any]:
    """As the extension of that very terminal, which would then rule over its prompts; then as a Pi of its own that asks for a code."""
    with socket.socket(socket.AF_UNIX) as link:
        first = as_pi(link, path, pid)
    with socket.socket(socket.AF_UNIX) as link:
        welcome = as_pi(link, path, os.getpid())
        frames = ({"type": "resync_begin"}, {"type": "resync_end"}, {"type": "pair_code_request", "requestId": "r"})
        for seq, frame in enumerate(frames, 2):
            link.sendall(json.dumps({**frame, "seq": seq}).encode() + b"\n")
        heard = b""
        while b'"pair_code' not in heard:
            heard += link.recv(65_536)
    code = next(json.loads(line) for line in heard.split(b"\n") if b'"pair_code' in line)
    return {"bridge": first, "own bridge": welcome, "pair_code over it": code["type"]}


def as_pi(link: socket.socket, path: str, pid: int) -> str:
    """Says hello as the Pi of this pid; the type of what is answered."""
    start = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    hello = {
        "type": "hello",
        "seq": 1,
        "protocol": {"min": 1, "max": 1},
        "bridge": {"version": "0", "path": "/", "generation": 99},
        "terminal": {"id": f"{pid}-{start}", "pid": pid, "startTime": start, "mode": "tui", "piVersion": None, "node": "v22"},
        "conversation": {"id": "c", "cwd": "/"},
        "reason": "startup",
        "capabilities": [],
    }
    link.settimeout(PATIENCE)
    link.connect(path)
    link.sendall(json.dumps(hello).encode() + b"\n")
    answered: str = json.loads(link.recv(65_536).split(b"\n")[0])["type"]
    return answered


def intrude(control: str, bridge: str, url: str, pid: int, file: Path) -> None:
    notes: dict[str, Any] = {}
    doors: tuple[Callable[[], dict[str, Any]], ...] = (
        lambda: by_attach(control, pid),
        lambda: by_network(url),
        lambda: by_pairing(url),
        lambda: by_bridge(bridge, pid),
    )
    for door in doors:
        try:
            notes |= door()
        except (OSError, ConnectionClosed, TimeoutError, StopIteration, KeyError) as error:
            notes[f"error {len(notes)}"] = repr(error)
    ready = file.with_suffix(".part")
    ready.write_text(json.dumps(notes))
    ready.rename(file)


def main() -> None:
    control, bridge, url, pid, file, how = sys.argv[1:]
    if how == "double":
        if os.fork():
            os.wait()
            return
        os.setsid()
        if os.fork():
            os._exit(0)
        while os.getppid() not in (0, 1):
            with suppress(ChildProcessError):
                os.sched_yield()
    intrude(control, bridge, url, int(pid), Path(file))


if __name__ == "__main__":
    main()
