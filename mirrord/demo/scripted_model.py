"""A model server without a model: it answers Pi on loopback by a script, so no account and no network is needed.

It speaks the part of the OpenAI chat completions API that Pi uses (streaming only). The last message of a request
decides the reply:

    run: COMMAND        a call of the tool `bash` with that command
    tool: NAME {JSON}   a call of the tool NAME with those arguments
    slow N MS           N words, MS milliseconds apart (200 words, 20 ms)
    think               reasoning first, then an answer
    fail                HTTP status 500
    fail N TEXT         the same N times, then "Echo: " and all of it
    <conversation>      what Pi asks for a summary of: 60 words, 25 ms apart
    a tool's result     "Tool said: " and the result's first line
    anything else       "Echo: " and the text

`python -m mirrord.demo.scripted_model` serves until it is interrupted and prints the base URL as its first line.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

import msgspec

MODEL = "scripted-1"

# A test looks at the last few requests; a demo that runs for days must not grow.
REMEMBERED_MESSAGES = 1000
# Pi sends the whole conversation with every request; a scripted one stays far below this.
LONGEST_REQUEST = 16 * 1024 * 1024
# So many words a minute that streaming is visible and a test does not wait for it.
PAUSE_BETWEEN_WORDS = 0.005

USAGE: Mapping[str, int] = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


class ContentPart(msgspec.Struct, frozen=True):
    text: str = ""


class Message(msgspec.Struct, frozen=True):
    """One message of the conversation as Pi sent it; fields this server does not need are dropped."""

    role: str
    content: str | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        if self.content is None:
            return ""
        if isinstance(self.content, str):
            return self.content.strip()
        return "".join(part.text for part in self.content).strip()


class ChatRequest(msgspec.Struct, frozen=True):
    messages: list[Message]


@dataclass(frozen=True, slots=True)
class Words:
    """Text sent word by word, `pause` seconds apart, as an answer or as reasoning."""

    text: str
    pause: float = PAUSE_BETWEEN_WORDS
    reasoning: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """`arguments` is JSON text, sent as it is."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Failure:
    status: int
    message: str


Step = Words | ToolCall
Reply = tuple[Step, ...] | Failure


def reply_to(message: Message, tries: int = 0) -> Reply:
    """What the script says to the last message, which it has answered so often before; never raises."""
    text = message.text
    first_line = text.partition("\n")[0]
    if message.role == "tool":
        return (Words(f"Tool said: {first_line}"),)
    if text.startswith("run:"):
        command = msgspec.json.encode({"command": text.removeprefix("run:").strip()}).decode()
        return Words("Running it now."), ToolCall("bash", command)
    if text.startswith("tool:"):
        name, _, arguments = text.removeprefix("tool:").strip().partition(" ")
        return (ToolCall(name, arguments or "{}"),)
    if text.startswith("<conversation>"):
        return (Words(" ".join(f"summary{number}" for number in range(60)), pause=0.025),)
    keyword, *rest = text.split() or [""]
    if keyword == "slow":
        numbers = [int(word) for word in rest if word.isdecimal()]
        count, pause = (numbers + [200, 20][len(numbers) :])[:2]
        return (Words(" ".join(f"word{number}" for number in range(count)), pause=pause / 1000),)
    if keyword == "think":
        return Words("Let me consider the request.", reasoning=True), Words("Here is the considered answer.")
    if keyword == "fail" and not (rest and rest[0].isdecimal() and int(rest[0]) <= tries):
        return Failure(500, "scripted failure")
    return (Words(f"Echo: {text}"),)


def deltas(step: Step, call_id: str) -> Iterator[tuple[dict[str, object], float]]:
    """The step as chat completion deltas, each with the pause in seconds that follows it."""
    if isinstance(step, ToolCall):
        function = {"name": step.name, "arguments": step.arguments}
        yield {"tool_calls": [{"index": 0, "id": call_id, "type": "function", "function": function}]}, 0
        return
    field = "reasoning_content" if step.reasoning else "content"
    for word in step.text.split(" "):
        yield {field: word + " "}, step.pause


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the terminal belongs to Pi."""

    def do_GET(self) -> None:
        self._send_json(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        if length > LONGEST_REQUEST:
            self.close_connection = True
            self._send_json(413, {"error": {"message": "request too long"}})
            return
        try:
            last = msgspec.json.decode(self.rfile.read(length), type=ChatRequest).messages[-1]
        except (msgspec.DecodeError, IndexError) as error:
            self._send_json(400, {"error": {"message": f"not a chat request: {error}"}})
            return
        reply = reply_to(last, self.server.heard.count(last))
        self.server.heard.append(last)
        if isinstance(reply, Failure):
            self._send_json(reply.status, {"error": {"message": reply.message, "type": "server_error"}})
            return
        # Pi closes the connection when the person interrupts the turn.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._stream(reply)

    def _stream(self, steps: tuple[Step, ...]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self._send_delta({"role": "assistant", "content": ""})
        for step in steps:
            for delta, pause in deltas(step, self.server.next_call_id()):
                self._send_delta(delta)
                if pause and self.server.stopping.wait(pause):
                    self.close_connection = True
                    return
        called = any(isinstance(step, ToolCall) for step in steps)
        self._send_delta({}, finish="tool_calls" if called else "stop")
        self._send_chunk(b"data: [DONE]\n\n")
        self._send_chunk(b"")

    def _send_delta(self, delta: Mapping[str, object], finish: str | None = None) -> None:
        chunk: dict[str, object] = {
            "id": "scripted",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": MODEL,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
        if finish:
            chunk["usage"] = USAGE
        self._send_chunk(b"data: " + msgspec.json.encode(chunk) + b"\n\n")

    def _send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def _send_json(self, status: int, value: object) -> None:
        body = msgspec.json.encode(value)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.stopping = threading.Event()
        self.heard: deque[Message] = deque(maxlen=REMEMBERED_MESSAGES)
        self._calls = 0
        self._lock = threading.Lock()

    def handle_error(self, request: object, client_address: object) -> None:
        """A Pi that ends leaves its connections as they are; anything else is a bug of ours and is printed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    def next_call_id(self) -> str:
        with self._lock:
            self._calls += 1
            return f"call_{self._calls}"


class ScriptedModel:
    """Serves on loopback from construction until `close`; a context manager. Port 0 takes a free one."""

    def __init__(self, port: int = 0) -> None:
        self._server = _Server(port)
        # serve_forever looks this often whether it must end.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def heard(self) -> tuple[Message, ...]:
        """The last message of each request so far, oldest first; the last 1,000 are kept."""
        return tuple(self._server.heard)

    def close(self) -> None:
        """Streams that still run break off."""
        self._server.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mirrord.demo.scripted_model", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--port", type=int, default=0, help="default: a free one")
    with ScriptedModel(parser.parse_args().port) as model, suppress(KeyboardInterrupt):
        print(model.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
