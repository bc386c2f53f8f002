"""What the prompt table is played with: how each method is opened, answered on either side, and answered wrongly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from mirrord.wire import messages as wire
from tests.e2e.play import Asked, Play
from tests.e2e.prompt_table import METHODS, SECRET, Ends, Never, answered
from tests.e2e.stage import until
from tests.harness.exerciser import slash

OPTIONS: Final = [{"value": "a", "label": "apple"}, {"value": "b", "label": "banana"}]
KEYS: Final[Mapping[wire.Method, tuple[str, ...]]] = {
    "select": ("down", "enter"),
    "confirm": ("enter",),
    "input": (*SECRET, "enter"),
    "editor": ("!", "enter"),
    "ask": ("down", "enter"),
    "custom": ("enter",),
}
"""They answer the dialog at the terminal as the table says."""

ANSWER: Final[Mapping[wire.Method, Mapping[str, Any]]] = {
    "select": {"index": 1},
    "confirm": {"confirmed": True},
    "input": {"value": SECRET},
    "editor": {"value": "line one\nline two!"},
    "ask": {"answers": {"q": "b"}},
    "custom": {"value": "done"},
}
OTHER: Final[Mapping[wire.Method, tuple[Mapping[str, Any], object, str | None]]] = {
    "select": ({"index": 2}, "cherry", "cherry"),
    "confirm": ({"confirmed": False}, False, "No"),
    "input": ({"value": "Bob"}, "Bob", None),
    "editor": ({"unchanged": True}, "line one\nline two", None),
    "ask": ({"answers": {"q": "a"}}, {"answers": {"q": "a"}, "allIgnored": False}, "apple"),
}
"""Another good answer, the promise's value with it, and what others see of it."""

INVALID: Final[Mapping[wire.Method, Mapping[str, Any]]] = {
    "select": {"index": 99},
    "confirm": {"value": "Yes"},
    "input": {"value": "two\nlines"},
    "editor": {"index": 0},
    "ask": {"answers": {"nobody asked": "a"}},
    "custom": {"value": "done"},
}


def press(play: Play, keys: tuple[str, ...]) -> None:
    """Presses keys, named or as they are."""
    for key in keys:
        if len(key) == 1:
            play.stage.pi.send(key)
        else:
            play.stage.pi.keys(key)


def begin(play: Play) -> None:
    """Nothing of an earlier test is open. A custom dialog can only be ended with the keyboard, or by a reload when it is covered."""
    for end in ("escape", "/reload\r"):
        play.begin()
        if not play.session.open_prompts:
            return
        play.stage.pi.keys(end) if end == "escape" else play.stage.pi.send(end)
        until(lambda: not play.session.open_prompts, 10, "something of an earlier test is open")


def opened(play: Play, method: wire.Method, **more: Any) -> Asked:
    """A dialog of this method, open on the screen and with everybody."""
    title = f"{method} {next(play.numbers)}"
    if method == "ask":
        more["questions"] = [{"id": "q", "question": title, "options": OPTIONS}]
    return play.ask(method, title=title, **more)


def all_opened(play: Play, **more: object) -> dict[wire.Method, Asked]:
    """A dialog of each method, one over the other; the custom one can be seen."""
    return all_offered(play, *all_shown(play, **more))


def all_shown(play: Play, **more: object) -> tuple[str, Asked]:
    """As `all_opened`, but nobody may be there to be offered them: their common name, and the screen as it was."""
    name = f"All {next(play.numbers)}"
    before = play.rest()
    play.stage.pi.line(slash("t-all", id=name, **more))
    play.stage.pi.wait_for(lambda text: f"{name} custom" in text and "/t-all" not in text)
    return name, Asked(wire.ExtensionUIRequest(session_id="", id="", method="custom", title="", opened_at=0), "", name, before)


def all_offered(play: Play, name: str, like: Asked) -> dict[wire.Method, Asked]:
    """The prompts of that name as everybody was offered them."""
    return {method: replace(like, prompt=play.offered(f"{name} {method}"), name=method) for method in METHODS}


def asked_by_tool(play: Play, *methods: wire.Method) -> dict[wire.Method, Asked]:
    """A turn of the agent whose tool opens these dialogs at once."""
    name = f"Tool {next(play.numbers)}"
    before = play.rest()
    arguments = f'{{"id": "{name}", "methods": [{", ".join(f"{chr(34)}{method}{chr(34)}" for method in methods)}]}}'
    play.stage.pi.line(f"tool: all_at_once {arguments}")
    asked = {method: Asked(play.offered(f"{name} {method}"), method, name, before) for method in methods}
    play.stage.pi.wait_for(f"{name} {methods[-1]}")
    return asked


def go(play: Play, word: str = "go") -> None:
    """What waits for a sign does what it was told to."""
    new = play.stage.log.file.with_name("go.new")
    new.write_text(word)
    new.rename(play.stage.log.file.with_name(f"{play.stage.log.file.name}.go"))


def ended(play: Play, asked: Asked, cell: Ends) -> wire.Verdict:
    """The prompt ended for everybody as the cell says, and its promise gave what it says."""
    by = "phone" if cell.winner == "remote" else None
    told = play.owner.settled(asked.id).reason
    reason = told if told == cell.or_reason else cell.reason
    verdict = play.everybody_is_told(asked, cell.outcome, cell.winner, by=by, answer=cell.answer, reason=reason)
    if not isinstance(cell.value, Never):
        assert play.value(asked) == cell.value
    return verdict


def is_open(play: Play, asked: Asked) -> bool:
    return asked.id in {prompt.id for prompt in play.owner.subscribe(play.stage.session_id).prompts}


def finished(play: Play, asked: Asked) -> None:
    """A prompt that is still open can be answered: from a remote where that is possible."""
    method = asked.prompt.method
    assert is_open(play, asked)
    assert asked.name not in {record.name for record in play.stage.log.records() if record.event == "result" and record.id == asked.run}
    if method == "custom":
        press(play, KEYS[method])
    else:
        assert play.phone.answer(asked.id, **ANSWER[method]).accepted
    cell = answered("terminal" if method == "custom" else "remote")[method]
    assert isinstance(cell, Ends)
    ended(play, asked, cell)


def all_finished(play: Play, asked: Mapping[wire.Method, Asked]) -> None:
    """Each is still open and is answered, the one that can be seen first; then the screen is what it was."""
    for one in reversed(list(asked.values())):
        finished(play, one)
    play.screen_is_back(one)


def refused(result: wire.ResponseResult, reason: wire.RefusalReason) -> None:
    """The answer was not taken, and why is told; a sentence says more where more can be said."""
    assert (result.accepted, result.reason, bool(result.detail)) == (False, reason, reason != "settled"), result
