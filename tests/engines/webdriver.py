"""The few commands of W3C WebDriver that a page is driven with, over HTTP or over Marionette.

WebKitWebDriver speaks HTTP. Firefox speaks Marionette, which has the same commands under other names: geckodriver only translates, and
Debian has no package of it. So this is no more than a table of names and two ways of sending.
"""

from __future__ import annotations

import base64
import http.client
import json
import socket
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

PATIENCE: Final = 60.0
"""Seconds for any one command: opening a page takes a busy machine longest."""
ELEMENT: Final = "element-6066-11e4-a52e-4f735466cecf"
"""WebDriver's own name for what identifies an element."""


ENTER: Final = "\ue006"
"""The key; WebKitWebDriver does not take a line feed for it."""


class DriverError(Exception):
    """The browser refused a command. The text begins with WebDriver's name of the error."""


class StaleElement(DriverError):
    """The element is in the page no longer."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the page, as long as the page is the same."""

    id: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command: the method and the path of its resource in a session, and what Marionette calls it."""

    verb: str
    path: str
    marionette: str


NAVIGATE: Final = Command("POST", "url", "WebDriver:Navigate")
REFRESH: Final = Command("POST", "refresh", "WebDriver:Refresh")
RESIZE: Final = Command("POST", "window/rect", "WebDriver:SetWindowRect")
EXECUTE: Final = Command("POST", "execute/sync", "WebDriver:ExecuteScript")
SCREENSHOT: Final = Command("GET", "screenshot", "WebDriver:TakeScreenshot")
CLICK: Final = Command("POST", "element/{id}/click", "WebDriver:ElementClick")
CLEAR: Final = Command("POST", "element/{id}/clear", "WebDriver:ElementClear")
SEND_KEYS: Final = Command("POST", "element/{id}/value", "WebDriver:ElementSendKeys")


class Driver(ABC):
    """A session with one browser window. As a context manager it ends the session, and with it the browser."""

    @abstractmethod
    def command(self, command: Command, parameters: Mapping[str, object]) -> Any:
        """What the command gives; DriverError when it fails."""

    @abstractmethod
    def end(self) -> None:
        """The browser ends."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.end()

    def go(self, url: str) -> None:
        """Opens an address; returns once it is loaded."""
        self.command(NAVIGATE, {"url": url})

    def reload(self) -> None:
        self.command(REFRESH, {})

    def resize(self, width: int, height: int) -> None:
        """The window's outer size, as near as the browser allows."""
        self.command(RESIZE, {"width": width, "height": height})

    def run(self, function: str, *arguments: object) -> Any:
        """What a JavaScript function gives for these arguments: JSON, or an element; a promise is waited for."""
        given = [{ELEMENT: one.id} if isinstance(one, Element) else one for one in arguments]
        value = self.command(EXECUTE, {"script": f"return ({function})(...arguments);", "args": given})
        return Element(value[ELEMENT]) if isinstance(value, dict) and ELEMENT in value else value

    def click(self, element: Element) -> None:
        """With the mouse, at its middle; DriverError when something else is there."""
        self.command(CLICK, {"id": element.id})

    def clear(self, element: Element) -> None:
        self.command(CLEAR, {"id": element.id})

    def keys(self, element: Element, text: str) -> None:
        """Types into it, after what stands there."""
        self.command(SEND_KEYS, {"id": element.id, "text": text.replace("\n", ENTER)})

    def screenshot(self) -> bytes:
        """What the window shows of the page, as a PNG."""
        return base64.b64decode(self.command(SCREENSHOT, {"full": False}))


class OverHttp(Driver):
    """A session with a WebDriver server on this machine."""

    def __init__(self, port: int, capabilities: Mapping[str, object]) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._session = f"/session/{self._ask('POST', '/session', {'capabilities': {'alwaysMatch': capabilities}})['sessionId']}"

    def command(self, command: Command, parameters: Mapping[str, object]) -> Any:
        return self._ask(command.verb, f"{self._session}/{command.path.format_map(parameters)}", parameters)

    def end(self) -> None:
        self._ask("DELETE", self._session, {})
        self._connection.close()

    def _ask(self, verb: str, path: str, parameters: Mapping[str, object]) -> Any:
        self._connection.request(verb, path, json.dumps(parameters) if verb == "POST" else None, {"Content-Type": "application/json"})
        reply = self._connection.getresponse()
        value = json.loads(reply.read())["value"]
        if reply.status != http.client.OK:
            raise _failure(value)
        return value


class OverMarionette(Driver):
    """A session with a Firefox on this machine.

    A message is its length, a colon and JSON: [0, id, name, parameters] asks, [1, id, error, result] replies.
    """

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._replies = self._socket.makefile("rb")
        self._asked = 0
        # It says first which protocol it speaks.
        self._receive()
        self._ask("WebDriver:NewSession", {})

    def command(self, command: Command, parameters: Mapping[str, object]) -> Any:
        # A result is an object with the value in it, or with nothing.
        return self._ask(command.marionette, parameters).get("value")

    def end(self) -> None:
        self._ask("Marionette:Quit", {"flags": ["eForceQuit"]})
        self._replies.close()
        self._socket.close()

    def _ask(self, name: str, parameters: Mapping[str, object]) -> Any:
        self._asked += 1
        message = json.dumps([0, self._asked, name, parameters]).encode()
        self._socket.sendall(b"%d:%b" % (len(message), message))
        _, number, error, result = self._receive()
        assert number == self._asked
        if error is not None:
            raise _failure(error)
        return result

    def _receive(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            one = self._replies.read(1)
            if not one:
                raise DriverError("Firefox closed the connection")
            length += one
        return json.loads(self._replies.read(int(length[:-1])))


def _failure(error: Mapping[str, str]) -> DriverError:
    kind = StaleElement if error["error"] == "stale element reference" else DriverError
    return kind(f"{error['error']}: {error['message']}")
