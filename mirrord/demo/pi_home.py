"""A home for a Pi that must touch nothing of the person's: own settings, sessions, data and runtime folders.

For the demo and for tests. Pi in it knows one model, the scripted one, and needs no account and no network.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from mirrord.demo.scripted_model import MODEL

PROVIDER = "loopback"

SETTINGS: Mapping[str, object] = {
    "defaultProvider": PROVIDER,
    "defaultModel": MODEL,
    "theme": "dark",
    "enableInstallTelemetry": False,
    "defaultProjectTrust": "always",
    # Newer than any: Pi shows no changelog.
    "lastChangelogVersion": "99.0.0",
    # A scripted failure is shown at once.
    "retry": {"enabled": False},
}


def models(base_url: str) -> Mapping[str, object]:
    """Pi's models.json for a scripted model that serves at `base_url`."""
    model = {
        "id": MODEL,
        "name": "Scripted One",
        "reasoning": True,
        "input": ["text"],
        "contextWindow": 128000,
        "maxTokens": 8192,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    }
    provider = {
        "baseUrl": base_url,
        "apiKey": "not-a-secret",
        "api": "openai-completions",
        "compat": {"supportsDeveloperRole": False, "supportsReasoningEffort": False},
        "models": [model],
    }
    return {"providers": {PROVIDER: provider}}


@dataclass(frozen=True, slots=True)
class PiHome:
    """Folders under one root, made by `make`. The root's path is short: a unix socket's path holds 107 bytes."""

    root: Path

    @property
    def agent(self) -> Path:
        """What ~/.pi/agent is otherwise: settings.json, models.json, sessions, extensions."""
        return self.root / "agent"

    @property
    def work(self) -> Path:
        """Where Pi is started."""
        return self.root / "work"

    @property
    def runtime(self) -> Path:
        return self.root / "run"

    @property
    def settings_file(self) -> Path:
        return self.agent / "settings.json"

    @classmethod
    def make(cls, root: Path, base_url: str, settings: Mapping[str, object] | None = None) -> PiHome:
        """Fills `root`; `settings` are added to SETTINGS or replace them."""
        home = cls(root)
        for folder in ("agent", "work", "home", "run", "tmp", "data", "state", "config", "cache"):
            (root / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        (home.agent / "models.json").write_bytes(msgspec.json.encode(models(base_url)))
        home.settings_file.write_bytes(msgspec.json.encode({**SETTINGS, **(settings or {})}))
        return home

    def environment(self, *first_on_path: Path) -> dict[str, str]:
        """The whole environment for a process that lives here; of the caller's it takes PATH alone."""
        path = [*map(str, first_on_path), os.environ.get("PATH", os.defpath)]
        return {
            "PATH": os.pathsep.join(path),
            "HOME": str(self.root / "home"),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "TMPDIR": str(self.root / "tmp"),
            "XDG_CACHE_HOME": str(self.root / "cache"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "XDG_DATA_HOME": str(self.root / "data"),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_STATE_HOME": str(self.root / "state"),
            "NODE_COMPILE_CACHE": str(self.root / "cache" / "node"),
            "PI_CODING_AGENT_DIR": str(self.agent),
            "PI_OFFLINE": "1",
            "PI_SKIP_VERSION_CHECK": "1",
            "PI_TELEMETRY": "0",
        }


@contextmanager
def temporary_pi_home(base_url: str, settings: Mapping[str, object] | None = None) -> Iterator[PiHome]:
    """A home in a new folder of the system's temporary folder, removed at the end."""
    # macOS gives each user a TMPDIR of 50 characters: too long for the sockets below it.
    root = Path(tempfile.mkdtemp(prefix="mirrord-", dir="/tmp")).resolve()
    try:
        yield PiHome.make(root, base_url, settings)
    finally:
        # A Pi that was just killed may still write a last file.
        shutil.rmtree(root, ignore_errors=True)
