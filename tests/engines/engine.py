"""Engines besides Chromium: WebKit, as WebKitGTK has it, and Firefox. Each is started for itself, in a profile that goes away."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.e2e.stage import until
from tests.engines.webdriver import Driver, OverHttp, OverMarionette
from tests.web.browser import Size

STARTED: Final = 60.0
ENDED: Final = 20.0
"""Seconds; many times what either takes on an idle machine."""
BARS: Final = 200
"""CSS pixels; more than any of them takes of the window's height for itself."""
ONLY_THE_PAGE: Final = ":root { min-width: 0 !important } #navigator-toolbox { display: none !important }"
"""Style of Firefox's own window, which otherwise is never as narrow as a phone."""
MINI_BROWSER: Final = ("lib/*/webkit2gtk-4.1/MiniBrowser", "lib*/webkit2gtk-4.1/MiniBrowser", "libexec/webkit2gtk-4.1/MiniBrowser")
"""Below /usr, as systems place WebKitGTK's own browser; none has it on the path."""


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine: which programs it lacks here, and how it is started in an empty folder with a window of that size."""

    name: str
    lacks: Callable[[], list[str]]
    start: Callable[[Path, Size], AbstractContextManager[Driver]]

    def __str__(self) -> str:
        return self.name


def _mini_browser() -> str | None:
    return next((str(found) for pattern in MINI_BROWSER for found in sorted(Path("/usr").glob(pattern))), None)


def _firefox() -> str | None:
    return shutil.which("firefox-esr") or shutil.which("firefox")


def _without_webkit() -> list[str]:
    programs = {"WebKitWebDriver": shutil.which("WebKitWebDriver"), "MiniBrowser": _mini_browser(), "Xvfb": shutil.which("Xvfb")}
    return [name for name, program in programs.items() if program is None]


def _without_firefox() -> list[str]:
    return [] if _firefox() else ["firefox"]


@contextmanager
def _webkit(folder: Path, size: Size) -> Iterator[Driver]:
    """MiniBrowser on a screen of its own, as WebKitGTK has no mode without one. Its toolbar keeps a phone's page at 447 pixels."""
    port, browser = _free_port(), {"binary": _mini_browser(), "args": ["--automation"]}
    with (
        _screen(folder, size.width + BARS, size.height + BARS) as display,
        _process(["WebKitWebDriver", f"--port={port}"], folder, {"DISPLAY": display}),
    ):
        until(lambda: _listens(port), STARTED, "WebKitWebDriver does not listen")
        with OverHttp(port, {"webkitgtk:browserOptions": browser}) as driver:
            _fit(driver, size)
            yield driver


@contextmanager
def _firefox_alone(folder: Path, size: Size) -> Iterator[Driver]:
    """Firefox without a screen."""
    program, profile = _firefox(), folder / "profile"
    assert program is not None
    (profile / "chrome").mkdir(parents=True)
    (profile / "chrome" / "userChrome.css").write_text(ONLY_THE_PAGE)
    # Port 0 is any free one; the profile tells which.
    preferences = {"marionette.port": 0, "toolkit.legacyUserProfileCustomizations.stylesheets": True}
    (profile / "user.js").write_text("".join(f'user_pref("{name}", {json.dumps(value)});\n' for name, value in preferences.items()))
    told = profile / "MarionetteActivePort"
    with _process([program, "--marionette", "--headless", "--no-remote", "--profile", str(profile)], folder):
        until(lambda: told.exists() and told.read_text() != "", STARTED, "Firefox does not listen")
        with OverMarionette(int(told.read_text())) as driver:
            _fit(driver, size)
            yield driver


ENGINES: Final = (Engine("webkit", _without_webkit, _webkit), Engine("firefox", _without_firefox, _firefox_alone))


def _fit(driver: Driver, size: Size) -> None:
    """The page gets that size, as near as its window allows."""
    driver.resize(size.width, size.height)
    inner = driver.run("() => innerHeight")
    driver.resize(size.width, 2 * size.height - inner)


@contextmanager
def _screen(folder: Path, width: int, height: int) -> Iterator[str]:
    """An X server that shows nothing to anybody; gives its name for DISPLAY."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as told, os.fdopen(writing, "w") as tells:
        arguments = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"]
        with _process(arguments, folder, inherited=[writing]):
            # Only the server holds it now: should it end, reading ends too.
            tells.close()
            number = told.readline().strip()
            assert number, "Xvfb did not start"
            yield f":{number}"


@contextmanager
def _process(
    arguments: Sequence[str], home: Path, env: Mapping[str, str] | None = None, *, inherited: Sequence[int] = ()
) -> Iterator[None]:
    """Runs it with that folder as its home, where it also leaves what it prints. With all that it started it is gone after the block."""
    with (home / f"{Path(arguments[0]).name}.log").open("ab") as output:
        process = subprocess.Popen(
            arguments,
            env={**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_CACHE_HOME": str(home), **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=inherited,
            start_new_session=True,
        )
    try:
        yield
    finally:
        with suppress(subprocess.TimeoutExpired):
            process.terminate()
            process.wait(ENDED)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
