"""What `make run` does once everything is set up: Pi in this terminal, mirrored, or the demo.

The person's own Pi is taken; the locked one only when there is none. Pi without a model account can answer nothing, so
then the demo is offered instead.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MIRRORD = ROOT / ".venv" / "bin" / "mirrord"
LOCKED_PI = ROOT / "tools" / "pi-1.6.0" / "node_modules" / ".bin"
NODE = ROOT / ".cache" / "node" / "bin"

QUESTION = """Pi finds no model account here.
  Enter    the demo: the real Pi with a scripted model, in this terminal
  p Enter  Pi itself, where /login makes an account
> """


def has_account(env: Mapping[str, str]) -> bool:
    """Whether Pi would find credentials: an API key in the environment, or entries in its auth.json or models.json."""
    if any(name.endswith("_API_KEY") and value for name, value in env.items()):
        return True
    agent = Path(env.get("PI_CODING_AGENT_DIR") or Path(env.get("HOME", "~")).expanduser() / ".pi" / "agent")
    for name in ("auth.json", "models.json"):
        try:
            if json.loads((agent / name).read_text()):
                return True
        except (OSError, ValueError):
            continue
    return False


def with_locked_pi(env: Mapping[str, str]) -> dict[str, str]:
    """The environment with the locked Pi and a Node that runs it first on the path."""
    return {**env, "PATH": os.pathsep.join([str(LOCKED_PI), str(NODE), env.get("PATH", os.defpath)])}


def main() -> None:
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        sys.exit("make run needs a terminal; make demo plays both sides without one.")
    env = dict(os.environ)
    words = ["pi"]
    if not has_account(env):
        try:
            answer = input(QUESTION)
        except (EOFError, KeyboardInterrupt):
            sys.exit(130)
        words = ["pi"] if answer.strip().lower() == "p" else ["demo"]
    if words == ["demo"] or shutil.which("pi") is None:
        env = with_locked_pi(env)
    os.execve(MIRRORD, [str(MIRRORD), *words], env)


if __name__ == "__main__":
    main()
