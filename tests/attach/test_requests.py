"""Promise: what a person asked of the daemon is shown when it comes, whole, in any order, once, and over a new connection too."""

from __future__ import annotations

import pytest

from mirrord.attach.requests import Requests
from mirrord.attach.session import AttachSession, More
from mirrord.client import ProtocolMismatch
from mirrord.wire.messages import Command, CommandError, CommandResult
from tests.cli.prompts import editor, select

LONG = editor(prefill=None, prefill_parts=2)


class Asked:
    """Requests of a session with two open prompts, and the commands that were sent; `away` sends nothing."""

    def __init__(self) -> None:
        self.sent: list[Command] = []
        self.away = False
        self.session = AttachSession()
        self.session.replace((LONG, select("s", options=("x", "y"), count=4)))
        self.requests = Requests(self._send, self.session)

    async def _send(self, command: Command) -> bool:
        if not self.away:
            self.sent.append(command)
        return not self.away

    def comes(self, command: Command, data: object = None, error: CommandError | None = None) -> list[str]:
        """The result of a command: what it shows."""
        result = CommandResult(request_id=command.request_id, ok=error is None, data=data, error=error)
        lines = list(self.requests.lines(result, may_answer=True))
        self.requests.finished(result)
        return lines


def piece(part: int, text: str) -> dict[str, object]:
    return {"part": part, "parts": 2, "text": text}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_a_text_is_shown_once_all_its_pieces_are_there(order: tuple[int, int]) -> None:
    asked = Asked()
    assert await asked.requests.prefill(LONG)
    assert [command.args for command in asked.sent] == [{"id": "e", "part": 0}, {"id": "e", "part": 1}]
    texts = ("be", "gin")
    first, last = order
    assert asked.comes(asked.sent[first], piece(first, texts[first])) == []
    shown = asked.comes(asked.sent[last], piece(last, texts[last]))
    assert shown[:2] == ["  The text of 'Edit the plan':", "  │ begin"]
    assert "/keep keeps" in shown[-1]


async def test_the_text_of_a_prompt_that_ended_meanwhile_is_not_shown() -> None:
    asked = Asked()
    await asked.requests.prefill(LONG)
    asked.session.settled("e")
    assert asked.comes(asked.sent[0], piece(0, "a")) == []
    assert asked.comes(asked.sent[1], error=CommandError("unknown_prompt", "There is no such open prompt.")) == []


async def test_a_new_connection_fetches_a_text_anew_and_says_what_is_not_known() -> None:
    asked = Asked()
    await asked.requests.prefill(LONG)
    asked.comes(asked.sent[0], piece(0, "old"))
    await asked.requests.stop("1-1")
    before, asked.sent = asked.sent, []
    assert await asked.requests.again() == ["It is not known whether the agent was stopped; type /stop again."]
    assert [command.args["part"] for command in asked.sent] == [0, 1]
    assert asked.comes(before[1], piece(1, "late")) == [], "an answer to the first fetch belongs to nothing any more"
    asked.comes(asked.sent[0], piece(0, "new"))
    assert "  │ newer" in asked.comes(asked.sent[1], piece(1, "er"))
    assert await asked.requests.again() == []


async def test_options_that_the_daemon_does_not_keep_are_still_answered_by_number() -> None:
    asked = Asked()
    await asked.requests.options(More("s", 2))
    (line,) = asked.comes(asked.sent[0], {"offset": 2, "options": [], "optionCount": 4})
    assert "a number up to 4 can be typed" in line


async def test_nothing_is_waited_for_while_the_daemon_is_away() -> None:
    asked = Asked()
    asked.away = True
    assert not await asked.requests.stop("1-1")
    assert not await asked.requests.prefill(LONG)
    assert await asked.requests.again() == []


async def test_a_result_that_nobody_asked_for_shows_nothing() -> None:
    asked = Asked()
    assert asked.comes(Command(request_id="other", name="options"), {"offset": 0, "options": ["a"], "optionCount": 1}) == []


async def test_a_result_of_another_form_is_told_as_a_mismatch() -> None:
    asked = Asked()
    await asked.requests.options(More("s", 2))
    with pytest.raises(ProtocolMismatch, match="the answer to `options` cannot be read"):
        asked.comes(asked.sent[0], {"offset": "two"})
