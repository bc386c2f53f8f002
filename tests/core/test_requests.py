"""Promise: options are paged, a long prefill is fetched in pieces, a prompt that is over has a verdict, a stop gets one result;
what is wrong with arguments is one sentence."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bridge.limits import CONTENT_BYTES, OPTIONS_SENT, PIECE_BYTES
from mirrord.core import commands, events
from mirrord.core.model import Prompt, PromptId
from mirrord.core.requests import PENDING_STOPS
from mirrord.wire import messages as wire
from mirrord.wire.limits import PREFILL_INLINE_BYTES
from mirrord.wire.roles import Role
from tests.core.playbook import PI, Playbook, select


def editor(id_: str, prefill: str) -> Prompt:
    return Prompt(id=PromptId(id_), method="editor", title="Edit the plan", opened_at=1, prefill=prefill)


def asks(play: Playbook, name: str, client: int = 1, **args: object) -> wire.CommandResult:
    play.says(client, wire.Command(request_id="q", name=name, args=args))
    return play.got(client, wire.CommandResult)[-1]


def code(result: wire.CommandResult) -> str:
    assert result.error is not None
    return result.error.code


@pytest.fixture
def play() -> Playbook:
    play = Playbook()
    play.attach(select("p", options=tuple(f"option {number}" for number in range(450))), editor("long", "é" * PREFILL_INLINE_BYTES))
    play.connect(1)
    return play


def test_the_request_carries_the_first_options_and_pages_the_others(play: Playbook) -> None:
    request = play.got(1, wire.Snapshot)[0].prompts[0]
    assert request.options == tuple(f"option {number}" for number in range(OPTIONS_SENT))
    assert request.option_count == 450
    data = asks(play, "options", id="p", offset=400).data
    assert data == {"offset": 400, "options": [f"option {number}" for number in range(400, 450)], "optionCount": 450}
    assert len(asks(play, "options", id="p").data["options"]) == OPTIONS_SENT


def test_an_option_of_a_later_page_is_answerable_by_index_and_by_value(play: Playbook) -> None:
    play.answers(1, "p", index=449)
    assert play.forwarded[-1].reply.index == 449
    play.accepts()
    other = Playbook()
    other.attach(select("p", options=tuple(f"option {number}" for number in range(450))))
    other.connect(1)
    other.answers(1, "p", value="option 449")
    assert other.forwarded[-1].reply.index == 449


def test_a_prefill_at_the_limit_travels_with_its_prompt_and_one_past_it_in_pieces() -> None:
    at_limit, past = Playbook(), Playbook()
    at_limit.attach(editor("e", "x" * PREFILL_INLINE_BYTES))
    past.attach(editor("e", "x" * (PREFILL_INLINE_BYTES + 1)))
    for play in (at_limit, past):
        play.connect(1)
    inline = at_limit.got(1, wire.Snapshot)[0].prompts[0]
    assert (len(inline.prefill or ""), inline.prefill_parts) == (PREFILL_INLINE_BYTES, None)
    parted = past.got(1, wire.Snapshot)[0].prompts[0]
    assert parted.prefill is None
    assert parted.prefill_parts == 4
    text = "".join(asks(past, "prefill", id="e", part=part).data["text"] for part in range(4))
    assert text == "x" * (PREFILL_INLINE_BYTES + 1)


def test_a_piece_fits_its_frame_however_much_must_be_escaped() -> None:
    play = Playbook()
    play.attach(editor("e", "\x1b" * CONTENT_BYTES))
    play.connect(1)
    result = asks(play, "prefill", id="e", part=0)
    assert len(msgspec.json.encode(result)) <= PIECE_BYTES + 200


def test_an_observer_reads_all_that_is_shown_and_stops_nothing(play: Playbook) -> None:
    play.connect(2, role=Role.OBSERVER)
    assert asks(play, "prefill", client=2, id="long", part=0).ok
    assert asks(play, "options", client=2, id="p").ok
    assert [each.session_id for each in asks(play, "sessions", client=2).data["sessions"]] == [PI]
    assert code(asks(play, "stop_turn", client=2, sessionId=PI)) == "forbidden"


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("options", {}, "malformed"),
        ("options", {"id": "p", "offset": 450}, "malformed"),
        ("options", {"id": "p", "offset": -1}, "malformed"),
        ("options", {"id": "p", "offset": "0"}, "malformed"),
        ("options", {"id": "p", "strange": 1}, "malformed"),
        ("options", {"id": "nobody"}, "unknown_prompt"),
        ("prefill", {"id": "long", "part": 99}, "malformed"),
        ("prefill", {"id": "p", "part": 0}, "malformed"),
        ("prefill", {"id": "long"}, "malformed"),
        ("sessions", {"limit": 0}, "malformed"),
        ("sessions", {"cursor": "garden"}, "malformed"),
        ("stop_turn", {}, "malformed"),
        ("stop_turn", {"sessionId": "nobody"}, "unknown_session"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_by_code(play: Playbook, name: str, args: dict[str, Any], expected: str) -> None:
    assert code(asks(play, name, **args)) == expected


def stops(play: Playbook) -> list[commands.ForwardStop]:
    return [command for command in play.other if isinstance(command, commands.ForwardStop)]


def test_stopping_is_forwarded_and_answered_when_the_terminal_says_what_came_of_it(play: Playbook) -> None:
    play.says(1, wire.Command(request_id="mine", name="stop_turn", args={"sessionId": PI}))
    stop = stops(play)[0]
    assert (stop.link, stop.name) == (play.link, "phone-1")
    assert not play.got(1, wire.CommandResult)
    for _ in range(2):
        play.feed(events.StopFinished(at=play.at, link=play.link, request=stop.request, ok=True, message=None))
    assert [(result.request_id, result.ok) for result in play.got(1, wire.CommandResult)] == [("mine", True)]


def test_what_a_stop_cancelled_tells_whose_stop_it_was(play: Playbook) -> None:
    play.says(1, wire.Command(request_id="mine", name="stop_turn", args={"sessionId": PI}))
    play.settles("p", outcome="cancelled", winner="remote", response=stops(play)[0].request)
    (settled,) = play.got(1, wire.ExtensionUISettled)
    assert (settled.outcome, settled.winner, settled.winner_name) == ("cancelled", "remote", "phone-1")


def test_a_stop_that_pi_refused_says_why(play: Playbook) -> None:
    for sentence, shown in (("Pi is idle.", "Pi is idle."), (None, "Pi did not stop.")):
        play.says(1, wire.Command(request_id="mine", name="stop_turn", args={"sessionId": PI}))
        play.feed(events.StopFinished(at=play.at, link=play.link, request=stops(play)[-1].request, ok=False, message=sentence))
        error = play.got(1, wire.CommandResult)[-1].error
        assert error is not None
        assert error.message == shown


def test_a_stop_without_a_link_or_whose_link_is_lost_is_refused(play: Playbook) -> None:
    play.says(1, wire.Command(request_id="mine", name="stop_turn", args={"sessionId": PI}))
    play.loses_link()
    assert code(play.got(1, wire.CommandResult)[-1]) == "detached"
    assert code(asks(play, "stop_turn", sessionId=PI)) == "detached"
    play.feed(events.ProcessGone(at=play.at, terminal=PI))
    assert code(asks(play, "stop_turn", sessionId=PI)) == "unknown_session"


def test_stops_that_wait_are_bounded(play: Playbook) -> None:
    for _ in range(PENDING_STOPS):
        play.says(1, wire.Command(request_id="q", name="stop_turn", args={"sessionId": PI}))
    assert not play.got(1, wire.CommandResult)
    assert code(asks(play, "stop_turn", sessionId=PI)) == "busy"


def test_who_comes_too_late_is_told_how_a_prompt_ended_as_everybody_was(play: Playbook) -> None:
    play.answers(1, "p", index=1)
    play.accepts()
    told = play.got(1, wire.ExtensionUISettled)[-1]
    verdict = msgspec.convert(asks(play, "verdict", id="p").data, wire.Verdict)
    assert verdict == wire.Verdict("answered", "remote", at=told.at, winner_name=told.winner_name, answer=told.answer)


@pytest.mark.parametrize("id_", ["long", "never"])
def test_a_prompt_that_is_open_or_unknown_has_no_verdict(play: Playbook, id_: str) -> None:
    assert code(asks(play, "verdict", id=id_)) == "unknown_prompt"
