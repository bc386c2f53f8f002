"""Promise: the open prompts of one session always fit what may wait for a client; of what finds no room the beginning is told, and
it can still be answered."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import json

from bridge.limits import OPEN_PROMPTS, OPTIONS_SENT, PROMPT_BYTES, TEXT_BYTES
from mirrord.core.model import Prompt, PromptId, Reply
from mirrord.wire import messages as wire
from mirrord.wire.limits import CUT_PROMPT_BYTES, OUTBOX_BYTES, PREFILL_INLINE_BYTES, PROMPTS_BYTES, WHOLE_PROMPTS_BYTES
from mirrord.wire.messages import Question, QuestionOption, Truncation
from mirrord.wire.surface_limits import SURFACES_BYTES
from tests.core.playbook import Playbook, confirm, input_, select

LARGEST_OPTIONS = tuple(f"{number} ".ljust(PROMPT_BYTES // OPTIONS_SENT - 8, '"') for number in range(OPTIONS_SENT))


def asked(play: Playbook) -> dict[str, wire.ExtensionUIRequest]:
    """Every open prompt, as a client that comes now is told it."""
    client = 1000 + len(play.sends)
    play.connect(client)
    return {prompt.id: prompt for prompt in play.got(client, wire.Snapshot)[-1].prompts}


def size(request: wire.ExtensionUIRequest) -> int:
    """Bytes of it as JSON."""
    return len(json.encode(request))


def of_size(id_: str, wanted: int) -> Prompt:
    """A confirm whose request is `wanted` bytes of JSON."""
    play = Playbook()
    play.attach(replace(confirm(id_), message=""))
    return replace(confirm(id_), message="m" * (wanted - size(asked(play)[id_])))


def with_room(left: int) -> Playbook:
    """One Pi whose open prompts leave `left` bytes of what there is for whole ones."""
    play = Playbook()
    play.attach()
    piece = TEXT_BYTES
    rest = WHOLE_PROMPTS_BYTES - left
    for number in range(rest // piece):
        last = number == rest // piece - 1
        play.opens(of_size(f"w{number}", piece + rest % piece if last else piece))
    assert not any(prompt.truncated for prompt in asked(play).values())
    return play


def test_a_hundred_of_the_largest_prompts_fit_what_may_wait_for_a_client_beside_the_surfaces() -> None:
    play = Playbook()
    play.attach()
    for number in range(OPEN_PROMPTS):
        play.opens(select(f"p{number}", LARGEST_OPTIONS, '"' * TEXT_BYTES))
    prompts = list(asked(play).values())
    assert len(prompts) == OPEN_PROMPTS
    assert size(prompts[0]) > PROMPT_BYTES
    assert not prompts[0].truncated
    assert max(size(prompt) for prompt in prompts[5:]) <= CUT_PROMPT_BYTES
    assert len(json.encode(prompts)) <= PROMPTS_BYTES
    assert PROMPTS_BYTES + SURFACES_BYTES <= OUTBOX_BYTES * 3 / 4


def test_a_prompt_that_just_fits_is_told_whole_and_one_byte_more_is_told_in_short() -> None:
    room = 2 * CUT_PROMPT_BYTES
    play = with_room(room)
    play.opens(of_size("fits", room))
    assert not asked(play)["fits"].truncated
    play = with_room(room)
    play.opens(of_size("past", room + 1))
    short = asked(play)["past"]
    (cut,) = short.truncated
    message = of_size("past", room + 1).message or ""
    assert (cut.field, cut.total) == ("message", len(message))
    assert short.message is not None
    assert len(short.message.encode()) == cut.shown < CUT_PROMPT_BYTES


def test_a_small_prompt_is_whole_however_much_is_open() -> None:
    play = with_room(0)
    play.opens(of_size("small", CUT_PROMPT_BYTES))
    assert not asked(play)["small"].truncated


def test_what_is_settled_makes_room() -> None:
    play = with_room(0)
    play.settles("w0")
    play.opens(of_size("next", TEXT_BYTES))
    assert not asked(play)["next"].truncated
    play.opens(of_size("after", TEXT_BYTES))
    assert asked(play)["after"].truncated


def test_what_was_told_in_short_takes_no_room_and_stays_short() -> None:
    play = with_room(0)
    play.opens(of_size("short", TEXT_BYTES))
    before = asked(play)["short"]
    play.settles("w0")
    assert asked(play)["short"] == before
    play.settles("short")
    play.opens(of_size("whole", TEXT_BYTES))
    assert not asked(play)["whole"].truncated


def test_everybody_who_is_there_and_everybody_who_comes_is_told_the_same() -> None:
    play = with_room(0)
    play.connect(1)
    play.opens(of_size("short", TEXT_BYTES))
    (told,) = play.got(1, wire.ExtensionUIRequest)
    assert replace_cursor(told) == asked(play)["short"]


def test_of_a_select_each_option_can_be_paged_to_and_chosen() -> None:
    play = with_room(0)
    play.opens(select("p", LARGEST_OPTIONS))
    play.connect(1)
    short = asked(play)["p"]
    assert short.options is not None
    assert 0 < len(short.options) < OPTIONS_SENT == short.option_count
    assert short.truncated == (Truncation("options", len(short.options), OPTIONS_SENT),)
    play.says(1, wire.Command(request_id="q", name="options", args={"id": "p", "offset": len(short.options)}))
    (page,) = play.got(1, wire.CommandResult)
    assert page.data is not None
    assert page.data["options"][0] == LARGEST_OPTIONS[len(short.options)]
    play.answers(1, "p", index=OPTIONS_SENT - 1)
    assert play.forwarded[-1].reply == Reply(index=OPTIONS_SENT - 1)


def test_of_an_editor_the_text_is_fetched_in_pieces_and_whole() -> None:
    play = with_room(0)
    prefill = "\x1b" * PREFILL_INLINE_BYTES
    play.opens(Prompt(id=PromptId("p"), method="editor", title="Edit", opened_at=1, prefill=prefill))
    play.connect(1)
    short = asked(play)["p"]
    assert short.prefill is None
    assert short.prefill_parts
    for part in range(short.prefill_parts):
        play.says(1, wire.Command(request_id=str(part), name="prefill", args={"id": "p", "part": part}))
    assert "".join(result.data["text"] for result in play.got(1, wire.CommandResult) if result.data) == prefill
    play.answers(1, "p", unchanged=True)
    assert play.forwarded[-1].reply.unchanged


def test_an_input_keeps_that_it_is_masked_and_takes_an_answer() -> None:
    play = with_room(0)
    play.opens(replace(input_("p"), title='"' * TEXT_BYTES, placeholder='"' * TEXT_BYTES, masked=True))
    play.connect(1)
    short = asked(play)["p"]
    assert size(short) <= CUT_PROMPT_BYTES
    assert short.masked
    assert [cut.field for cut in short.truncated] == ["title", "placeholder"]
    play.answers(1, "p", value="ada")
    assert play.forwarded[-1].reply == Reply(text="ada")


def ask(options: int) -> Prompt:
    """One question with so many options, each with a long description."""
    choices = tuple(QuestionOption(f"v{number}", f"Option {number}", "d" * 1000) for number in range(options))
    question = Question("q", "Which? " * 200, choices)
    return Prompt(id=PromptId("p"), method="ask", title="Ask", opened_at=1, questions=(question,))


def test_of_an_ask_the_descriptions_are_left_out_and_it_takes_an_answer() -> None:
    play = with_room(0)
    play.opens(ask(options=10))
    play.connect(1)
    short = asked(play)["p"]
    assert size(short) <= CUT_PROMPT_BYTES
    assert short.questions is not None
    (question,) = short.questions
    assert [option.label for option in question.options] == [f"Option {number}" for number in range(10)]
    assert not any(option.description for option in question.options)
    (cut,) = short.truncated
    assert (cut.field, cut.shown) == ("questions.0", len(json.encode(question)))
    assert cut.total > 10_000
    play.says(1, wire.ExtensionUIResponse(id="p", response_id="r", answers={"q": "v9"}))
    assert play.forwarded[-1].reply == Reply(answers={"q": "v9"})


@pytest.mark.parametrize("answer", [{"answers": {"q": "v9"}}, {"cancelled": True}])
def test_an_ask_with_more_than_finds_room_says_that_it_is_for_the_terminal_and_can_be_cancelled(answer: dict[str, object]) -> None:
    play = with_room(0)
    play.opens(ask(options=OPTIONS_SENT))
    play.connect(1)
    short = asked(play)["p"]
    assert size(short) <= CUT_PROMPT_BYTES
    assert short.terminal_only
    assert short.questions == ()
    assert short.truncated == (Truncation("questions", 0, 1),)
    play.says(1, wire.ExtensionUIResponse(id="p", response_id="r", **answer))  # type: ignore[arg-type]
    if "cancelled" in answer:
        assert play.forwarded[-1].reply == Reply(cancelled=True)
    else:
        assert play.result(1).reason == "terminal_only"


def replace_cursor(told: wire.ExtensionUIRequest) -> wire.ExtensionUIRequest:
    """As a snapshot has it, which has one cursor for all."""
    return json.decode(json.encode({**json.decode(json.encode(told)), "cursor": None}), type=wire.ExtensionUIRequest)
