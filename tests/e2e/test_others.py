"""Promise: other authors' extensions show in the terminal what they show without us, and what of it a remote sees is known, or why not.

Those that `ctx.ui` is made for are run together in `make test`; every one alone in `make soak`.
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.e2e.others import EXAMPLES, PAGE, TURN, Other, compared, found, load, page, play, reason, run, why_nothing

OTHERS: Final = found()

QUIET: Final = (
    *("commands", "confirm-destructive", "custom-footer", "custom-header", "debug-provider", "dirty-repo-guard", "git-checkpoint"),
    *("github-issue-autocomplete", "handoff", "hidden-thinking-label", "interactive-shell", "model-status", "overlay-qa-tests"),
    *("overlay-test", "permission-gate", "preset", "project-trust", "qna", "question", "questionnaire", "rpc-demo", "ssh", "status-line"),
    *("summarize", "system-prompt-header", "tic-tac-toe", "timed-confirm", "titlebar-spinner", "todo", "tools", "widget-placement"),
    *("working-indicator", "working-message-test", "snake", "space-invaders", "doom-overlay"),
)
"""They go together in one Pi: all that draw, set or ask something, but for those that change the editor or the footer for good."""

LOUD: Final = ("border-status-editor", "plan-mode")

ACTS: Final[dict[str, tuple[str, ...]]] = {
    "quiet": (
        *TURN,
        'tool: question {"question": "Which?", "options": [{"label": "tulip"}, {"label": "rose"}]}',
        *("down", "enter", "/overlay-test", "down", "escape", "/tools", "escape", "/todos", "escape", "/footer", "/footer"),
        *("/rpc-input", "typed", "enter", "/timed-select", "down", "enter", "/tic-tac-toe", "right", "escape", "/builtin-header"),
        *("/overlay-anchors", "escape", "/thinking-label Pondering", "/working-indicator none"),
    ),
    "loud": (*TURN, "/plan", "hello again", "/plan"),
}


@pytest.mark.parametrize(("names", "acts"), [(QUIET, ACTS["quiet"]), (LOUD, ACTS["loud"])], ids=list(ACTS))
@pytest.mark.timeout(180)
def test_the_terminal_shows_what_it_shows_without_us(names: tuple[str, ...], acts: tuple[str, ...]) -> None:
    files = [file for name in names for file in OTHERS[name].files]
    first = play(files, acts, ours=False)
    second = play(files, acts, ours=False, like=[first])
    with_us = play(files, acts, ours=True, like=[first, second])
    comparison = compared(acts, first, second, with_us)
    assert comparison.differences == ()
    assert comparison.screens - comparison.moving > len(TURN)
    assert with_us.shown


@pytest.mark.soak
@pytest.mark.timeout(300)
@pytest.mark.parametrize("other", OTHERS.values(), ids=lambda other: other.name)
def test_each_alone_shows_in_the_terminal_what_it_shows_without_us(other: Other) -> None:
    known = load()[other.name]
    outcome, comparison = run(other)
    assert comparison is None or comparison.differences == ()
    assert (outcome.starts, outcome.asked, outcome.shown) == (known.starts, known.asked, known.shown)


def test_every_example_and_both_packages_were_run() -> None:
    assert set(load()) == set(OTHERS)
    assert len(list(EXAMPLES.glob("*.ts"))) > 60
    assert {"pi-subagents", "pi-processes"} <= set(OTHERS)


def test_what_a_remote_does_not_see_has_a_reason() -> None:
    unseen = [(name, member) for name, outcome in load().items() for member in set(outcome.asked) - set(outcome.shown)]
    assert len(unseen) > 3
    assert [(name, member) for name, member in unseen if reason(name, member) is None] == []
    nothing = [name for name, outcome in load().items() if outcome.starts and not outcome.asked]
    assert [name for name in nothing if why_nothing(OTHERS[name]) is None] == []


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == page(load()), "write it anew: python -m tests.e2e.others"
