"""A systemd user manager of the test's own, for a user that nobody is: everything it mounts is its own, and it ends with the test.

It needs root, which makes it mount and become that user; the manager itself has no more rights than any person's.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

USER: Final = 64_242
"""Of nobody; above what distributions give to people."""

RUN_USER: Final = f"/run/user/{USER}"
"""Where systemd has to find this directory of its user's, inside of the namespace."""

SYSTEMD: Final = Path("/lib/systemd/systemd")
STARTED: Final = 20.0

ROOT: Final = Path(__file__).parents[2]

# A namespace of mounts for it alone: the unified tree of groups, an empty /run that says "systemd", and the way to our Python opened where
# it leads through a home that only root may enter.
SCRIPT: Final = """
set -e
umount -l /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 none /sys/fs/cgroup
mkdir "$GROUP"
chown -R "$OWNER" "$GROUP"
echo $$ > "$GROUP/cgroup.procs"
if [ -n "$CLOSED" ]; then
    mkdir -p "$HOME_OF_TEST/python"
    mount --bind "$PYTHON" "$HOME_OF_TEST/python"
    mount -t tmpfs -o mode=755 none "$CLOSED"
    mkdir -p "$PYTHON"
    mount --bind "$HOME_OF_TEST/python" "$PYTHON"
fi
mount -t tmpfs -o mode=755 none /run
mkdir -p /run/systemd/system /run/systemd/unit-root "$RUN_USER"
mount --bind "$RUNTIME" "$RUN_USER"
exec setpriv --reuid "$OWNER" --regid "$OWNER" --clear-groups env -i HOME="$HOME_OF_TEST" PATH=/usr/bin:/bin \
    XDG_RUNTIME_DIR="$RUN_USER" SYSTEMD_LOG_TARGET=console ANTHROPIC_API_KEY=hunter2 "$SYSTEMD" --user
"""


@dataclass(frozen=True, slots=True)
class UserManager:
    """`home` is the person's; `runtime` is what that person knows as RUN_USER."""

    pid: int
    home: Path
    runtime: Path

    def environment(self, **more: str) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": RUN_USER, "LC_ALL": "C.UTF-8", **more}

    def command(self, *words: str, env: Mapping[str, str] | None = None) -> list[str]:
        variables = [f"{name}={value}" for name, value in (self.environment() if env is None else env).items()]
        as_user = ("setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups")
        return ["nsenter", "--target", str(self.pid), "--mount", *as_user, "env", "-i", "-C", "/", *variables, *words]

    def run(self, *words: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(*words, env=env), capture_output=True, text=True, timeout=120, check=False)

    def mirrord(self, *words: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-P", "-m", "mirrord", *words, env=env)

    def systemctl(self, *words: str) -> str:
        return self.run("systemctl", "--user", *words).stdout.strip()


def obstacle() -> str | None:
    """Why there can be no user manager of a test's own here."""
    if not sys.platform.startswith("linux") or not SYSTEMD.exists():
        return "there is no systemd here"
    if os.geteuid() != 0:
        return "only root can start a user manager that is nobody's"
    missing = [name for name in ("unshare", "nsenter", "setpriv", "systemctl") if shutil.which(name) is None]
    if missing:
        return f"{missing[0]} is missing"
    tried = subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"nothing can be mounted here: {tried.stderr.strip()}"


@contextmanager
def user_manager() -> Iterator[UserManager]:
    """Runs while the block does; everything that it started ends with it."""
    with tempfile.TemporaryDirectory(prefix="mirrord-user-", dir="/tmp") as folder:
        base = Path(folder)
        base.chmod(0o755)
        home, runtime = base / "home", base / "run"
        for path in (home, runtime):
            path.mkdir(mode=0o700)
            os.chown(path, USER, USER)
        group = Path("/sys/fs/cgroup") / base.name
        log = base / "log"
        closed = _closed_parent(Path(sys.base_prefix))
        env = {
            "PATH": os.environ["PATH"],
            "OWNER": str(USER),
            "GROUP": str(group),
            "RUNTIME": str(runtime),
            "RUN_USER": RUN_USER,
            "HOME_OF_TEST": str(home),
            "SYSTEMD": str(SYSTEMD),
            "PYTHON": sys.base_prefix,
            "CLOSED": "" if closed is None else str(closed),
        }
        with log.open("wb") as output:
            manager = subprocess.Popen(
                ["unshare", "--mount", "--propagation", "private", "sh", "-c", SCRIPT], env=env, stdout=output, stderr=output
            )
        try:
            made = UserManager(manager.pid, home, runtime)
            _wait_until_it_runs(made, manager, log)
            yield made
        finally:
            # As at a logout: it stops what it runs, and then itself.
            manager.send_signal(signal.SIGTERM)
            try:
                manager.wait(20)
            finally:
                manager.kill()
                manager.wait()
                _remove_group(group.name)


def _wait_until_it_runs(made: UserManager, manager: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + STARTED
    while made.systemctl("is-system-running") not in ("running", "degraded"):
        assert manager.poll() is None, f"the manager ended: {log.read_text()}"
        assert time.monotonic() < deadline, f"the manager does not come up: {log.read_text()}"
        threading.Event().wait(0.1)


def _closed_parent(path: Path) -> Path | None:
    """The outermost folder on the way that others may not enter."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001), None)


def _remove_group(name: str) -> None:
    """The groups that it made, innermost first, and what is left in them."""
    clear = f'echo 1 > "{name}/cgroup.kill"; find "{name}" -depth -type d -exec rmdir {{}} \\; 2>/dev/null; ! [ -e "{name}" ]'
    for _ in range(50):
        script = f"mount -t cgroup2 none /mnt && cd /mnt && [ -e '{name}' ] || exit 0; {clear}"
        if subprocess.run(["unshare", "--mount", "sh", "-c", script], capture_output=True, check=False).returncode == 0:
            return
        threading.Event().wait(0.1)
