"""Promise: the scripted model says what its docstring says, over HTTP as Pi reads it, and ends at once when closed."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import msgspec
import pytest

from mirrord.demo.scripted_model import (
    LONGEST_REQUEST,
    ContentPart,
    Failure,
    Message,
    Reply,
    ScriptedModel,
    ToolCall,
    Words,
    reply_to,
)


def user(text: str) -> Message:
    return Message("user", text)


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        (user("hello there"), (Words("Echo: hello there"),)),
        (user(""), (Words("Echo: "),)),
        (Message("user", [ContentPart("in "), ContentPart("parts")]), (Words("Echo: in parts"),)),
        (Message("user", None), (Words("Echo: "),)),
        (user('run: echo "hi"'), (Words("Running it now."), ToolCall("bash", r'{"command":"echo \"hi\""}'))),
        (user('tool: ask_user {"question": "?"}'), (ToolCall("ask_user", '{"question": "?"}'),)),
        (user("tool: bare"), (ToolCall("bare", "{}"),)),
        (user("slow 2 5"), (Words("word0 word1", pause=0.005),)),
        (user("slow 1"), (Words("word0", pause=0.02),)),
        (user("think about it"), (Words("Let me consider the request.", reasoning=True), Words("Here is the considered answer."))),
        (user("fail please"), Failure(500, "scripted failure")),
        (Message("tool", "42\nmore"), (Words("Tool said: 42"),)),
        (Message("tool", "run: not a command"), (Words("Tool said: run: not a command"),)),
    ],
)
def test_the_last_message_decides_the_reply(message: Message, reply: Reply) -> None:
    assert reply_to(message) == reply


def test_a_conversation_is_summed_up_in_a_second_and_a_half_however_long_it_is() -> None:
    summary = Words(" ".join(f"summary{number}" for number in range(60)), pause=0.025)
    assert reply_to(user(f"<conversation>\n{'long ' * 1000}</conversation>")) == (summary,)


def test_a_failure_with_a_number_is_over_after_so_many() -> None:
    failure = Failure(500, "scripted failure")
    assert [reply_to(user("fail 2 then"), tries) for tries in range(3)] == [failure, failure, (Words("Echo: fail 2 then"),)]


def test_slow_without_numbers_says_200_words_20_ms_apart() -> None:
    assert reply_to(user("slow")) == reply_to(user("slow 200 20"))


class Delta(msgspec.Struct):
    content: str = ""
    reasoning_content: str = ""
    tool_calls: list[dict[str, object]] = []


class Choice(msgspec.Struct):
    delta: Delta
    finish_reason: str | None


class Chunk(msgspec.Struct):
    choices: list[Choice]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


def post(model: ScriptedModel, body: bytes) -> tuple[int, bytes]:
    url = urlsplit(model.base_url)
    connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=10)
    try:
        connection.request("POST", f"{url.path}/chat/completions", body)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def ask(model: ScriptedModel, *messages: Message) -> list[Choice]:
    status, body = post(model, msgspec.json.encode({"model": "scripted-1", "stream": True, "messages": messages}))
    assert status == 200
    *events, done = [line.removeprefix(b"data: ") for line in body.split(b"\n\n") if line]
    assert done == b"[DONE]"
    return [msgspec.json.decode(event, type=Chunk).choices[0] for event in events]


def test_words_arrive_one_by_one_and_the_end_is_marked(model: ScriptedModel) -> None:
    choices = ask(model, user("one two"))
    assert [choice.delta.content for choice in choices] == ["", "Echo: ", "one ", "two ", ""]
    assert [choice.finish_reason for choice in choices] == [None, None, None, None, "stop"]


def test_a_tool_call_ends_with_the_reason_that_makes_pi_run_it(model: ScriptedModel) -> None:
    first, second = ask(model, user("run: a")), ask(model, user("run: a"))
    assert first[-1].finish_reason == "tool_calls"
    assert first[-2].delta.tool_calls != second[-2].delta.tool_calls, "each call has an id of its own"


def test_what_pi_sent_can_be_looked_at(model: ScriptedModel) -> None:
    ask(model, Message("system", "be brief"), user("first"))
    ask(model, user("second"))
    assert [message.text for message in model.heard()] == ["first", "second"]


@pytest.mark.parametrize(("body", "status"), [(b"", 400), (b"[]", 400), (b'{"messages": []}', 400)])
def test_what_is_no_chat_request_gets_an_error_and_the_next_one_works(model: ScriptedModel, body: bytes, status: int) -> None:
    assert post(model, body)[0] == status
    assert ask(model, user("still there"))[1].delta.content == "Echo: "


def test_a_request_past_the_limit_is_refused_unread(model: ScriptedModel) -> None:
    url = urlsplit(model.base_url)
    connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=10)
    connection.putrequest("POST", f"{url.path}/chat/completions")
    connection.putheader("content-length", str(LONGEST_REQUEST + 1))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_fail_gives_status_500(model: ScriptedModel) -> None:
    status, body = post(model, msgspec.json.encode({"messages": [user("fail")]}))
    assert (status, b"scripted failure" in body) == (500, True)


def test_close_breaks_off_a_stream_that_still_runs() -> None:
    model = ScriptedModel()
    url = urlsplit(model.base_url)
    connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=10)
    connection.request("POST", f"{url.path}/chat/completions", msgspec.json.encode({"messages": [user("slow 2 60000")]}))
    response = connection.getresponse()
    response.read(1)
    start = time.monotonic()
    model.close()
    with pytest.raises(http.client.IncompleteRead):
        response.read()
    assert time.monotonic() - start < 10, "it would have lasted two minutes"
    connection.close()
