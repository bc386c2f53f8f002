"""Promise: from nothing to an answer from a phone, over an upgrade while Pi asks, and back to nothing, as by somebody who just found us.

One path, played once: a wheel of this tree, an environment that cannot be written to, another user where the tests run as root (else a
home of its own), the real Pi started as `pi`, and no network.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import msgspec
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from bridge.daemon_lock import read_holder
from bridge.paths import locate
from mirrord.client import Identity, authenticate, pair
from mirrord.client import Remote as Address
from mirrord.demo.pi_home import SETTINGS, models
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.demo.terminal import Terminal
from mirrord.wire import messages as wire
from tests.e2e.remote import ARRIVES, Remote, connected
from tests.e2e.stage import LINKED, until
from tests.harness.installed import Environment, User, another_user, build_wheel
from tests.harness.pi import FULLSCREEN, ROOT, node, pi_program, quit_pi, ready
from tests.places import wait_until_dead

LATER = "9.9.9"
BANANA = 1
PROMPT = "Which fruit would you like?"


@pytest.fixture
def user() -> User:
    return another_user()


@pytest.fixture
def root(user: User) -> Iterator[Path]:
    """Everything of theirs; short, because a socket's path holds 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="new-user-", dir="/tmp"))
    folder.chmod(0o755)
    for name in ("home", "run", "tmp", "home/.pi", "home/.pi/agent", "home/.pi/agent/extensions", "env"):
        (folder / name).mkdir(mode=0o700)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def settle_in(root: Path, user: User, model: ScriptedModel) -> None:
    """A Pi that is set up already, with an extension of the person's own that asks."""
    agent = root / "home" / ".pi" / "agent"
    (agent / "models.json").write_bytes(msgspec.json.encode(models(model.base_url)))
    (agent / "settings.json").write_bytes(msgspec.json.format(msgspec.json.encode(SETTINGS), indent=2))
    shutil.copy(ROOT / "tests" / "harness" / "fruit.ts", agent / "extensions" / "fruit.ts")
    pi_program(FULLSCREEN, root / "bin")
    for path in root.rglob("*"):
        os.chown(path, user.uid, user.gid)


def environ(root: Path) -> dict[str, str]:
    """What a login gives, and what keeps Pi off the network."""
    return {
        "HOME": str(root / "home"),
        "PATH": f"{root / 'env' / 'bin'}:{root / 'bin'}:{node().parent}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "TMPDIR": str(root / "tmp"),
        "XDG_RUNTIME_DIR": str(root / "run"),
        "PI_OFFLINE": "1",
        "PI_SKIP_VERSION_CHECK": "1",
        "PI_TELEMETRY": "0",
    }


def listing(root: Path, user: User) -> set[str]:
    """Every file outside of the environment and of what Pi keeps for itself, and everything that is called after us but the environment."""
    pis = (root / "home" / ".pi", root / "tmp" / "node-compile-cache", root / "tmp" / "jiti")
    found = [path for path in root.rglob("*") if not path.is_relative_to(root / "env")]
    kept = [path for path in found if not path.is_dir() and not any(path.is_relative_to(folder) for folder in pis)]
    elsewhere = [path for path in root.parent.iterdir() if user.is_another and path.lstat().st_uid == user.uid]
    return {str(path) for path in (*kept, *elsewhere, *(path for path in found if "mirrord" in path.name))}


def said(env: Environment, *words: str) -> str:
    """What `mirrord WORDS` prints; AssertionError when it fails."""
    done = env.run(env.mirrord, *words)
    assert done.returncode == 0, f"mirrord {' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout


class Phone:
    """A device that is paired once and connects with a token of its own each time."""

    def __init__(self, portal: BlockingPortal, identity: Identity, url: str) -> None:
        self._portal, self._identity, self._url = portal, identity, url

    def answers(self, session_id: str) -> None:
        """Connects, and answers the prompt that is open, or the next one."""
        token = self._portal.call(authenticate, self._url, self._identity)
        with connected(self._portal, Address(self._url.replace("http", "ws") + "v1/ws", token.token), "phone") as phone:
            phone.subscribe(session_id)
            asked = self._asked(phone)
            assert phone.answer(asked.id, index=BANANA).accepted

    def _asked(self, phone: Remote) -> wire.ExtensionUIRequest:
        snapshot = phone.wait(wire.Snapshot)
        return next(iter(snapshot.prompts), None) or phone.wait(wire.ExtensionUIRequest)


@pytest.mark.timeout(240)
def test_a_new_user_from_nothing_to_an_answer_over_an_upgrade_and_back_to_nothing(
    root: Path, user: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not user.is_another:
        with capsys.disabled():
            print("(no other user could be had: played in a home of its own)")
    env = Environment(root / "env", user, environ(root))
    tools = root / "pip"
    first, later = (shutil.copy(build_wheel(tmp_path, version), root) for version in (None, LATER))
    with ScriptedModel() as model, start_blocking_portal("asyncio") as portal:
        settle_in(root, user, model)
        env.make(tools)
        before, settings = listing(root, user), (root / "home/.pi/agent/settings.json").read_bytes()
        paths = locate(env.environ, "linux", user.uid, env.environ["HOME"])
        try:
            # Installed, and nobody may write there.
            env.install(tools, Path(first))
            env.may_be_written(False)
            said(env, "extension", "install")
            with Terminal([*user.prefix, "pi"], env=env.environ, cwd=root / "home") as terminal:
                ready(terminal)
                said(env, "serve", "--detach", "--port", "0")
                until(lambda: bool(json.loads(said(env, "status", "--json"))["sessions"]), LINKED, "Pi is not linked")
                (session,) = json.loads(said(env, "status", "--json"))["sessions"]

                # Paired, asked, answered.
                code = json.loads(said(env, "pair", "--no-wait", "--json").splitlines()[0])
                assert b"<!doctype html>" in urlopen(code["page"], timeout=ARRIVES).read()
                phone = Phone(portal, portal.call(pair, code["page"], code["code"], "phone"), code["page"])
                terminal.settle(0.1)
                terminal.line("/fruit")
                terminal.wait_for(PROMPT)
                phone.answers(session["sessionId"])
                terminal.wait_for("fruit 1: banana")

                assert "was not asked to use it" in said(env, "service", "install", "--write-only")
                rows = json.loads(env.run(env.mirrord, "doctor", "--json").stdout)["rows"]
                assert [row for row in rows if row["status"] in ("problem", "warning")] == []

                # Upgraded while Pi asks.
                terminal.settle(0.1)
                terminal.line("/fruit")
                terminal.wait_for(PROMPT)
                env.may_be_written(True)
                env.install(tools, Path(later))
                env.may_be_written(False)
                said(env, "restart")
                until(lambda: bool(json.loads(said(env, "status", "--json"))["sessions"]), LINKED, "Pi is not linked again")
                assert json.loads(said(env, "status", "--json"))["version"] == LATER
                phone.answers(session["sessionId"])
                terminal.wait_for("fruit 2: banana")

                # Gone, while Pi goes on.
                told = said(env, "uninstall", "--purge", "--yes")
                assert told.splitlines()[-1].endswith("uninstall pi-mirrord")
                assert read_holder(paths.lock_file) is None
                terminal.settle(0.1)
                terminal.line("/fruit")
                terminal.wait_for(PROMPT)
                terminal.keys("enter")
                terminal.wait_for("fruit 3: apple")
                assert quit_pi(terminal) == 0
        finally:
            if (holder := read_holder(paths.lock_file)) is not None:
                os.kill(holder.pid, 15)
                wait_until_dead(holder.pid, holder.start_time)
        assert (root / "home/.pi/agent/settings.json").read_bytes() == settings
        assert listing(root, user) - before == set()
        env.may_be_written(True)
        env.pip(tools, "uninstall", "--yes", "pi-mirrord")
        assert list(env.folder.rglob("*mirrord*")) == []
