"""What the demo plays: who makes Pi ask what, who answers, and what must have come of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from mirrord.wire.messages import Method, Outcome, Winner

Actor = Literal["terminal", "phone", "nobody"]


@dataclass(frozen=True, slots=True)
class Question:
    """What the person types into Pi, and the dialog that Pi then shows."""

    typed: str
    method: Method
    title: str
    shown: str
    """Text that is on the terminal's screen while the dialog is, and not otherwise."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question and its end."""

    name: str
    question: Question
    actor: Actor
    words: str
    """What the actor does, for people."""
    got: str
    """What the terminal shows afterwards: what the extension received."""
    outcome: Outcome
    winner: Winner
    keys: tuple[str, ...] = ()
    """Pressed in the terminal: names of keys, anything else is typed as it is."""
    answer: dict[str, Any] = field(default_factory=dict)
    """Sent by the phone."""
    refused: dict[str, Any] | None = None
    """Sent by the phone before that, and refused because it fits no option."""
    told: str | None = None
    """The answer as every other screen is told; None where it stays private or there is none."""


FRUIT: Final = Question("/demo-select", "select", "Which fruit would you like?", "→ apple")
COLOUR: Final = Question('tool: ask_colour {"question": "Which colour shall I use?"}', "select", "Which colour shall I use?", "→ red")
DELETE: Final = Question("/demo-confirm", "confirm", "Delete notes.txt?", "→ Yes")
NAME: Final = Question("/demo-input", "input", "What is your name?", "What is your name?")
PLAN: Final = Question("/demo-editor", "editor", "Edit the plan", "Edit the plan")
WORK: Final = Question("/demo-ask", "ask", "2 questions", "Question 1 of 2")
DRINK: Final = Question("/demo-timeout", "select", "Quick, tea or coffee?", "→ tea")

STEPS: Final = (
    Step(
        "choose in the terminal",
        FRUIT,
        "terminal",
        "presses ↓ and Enter",
        'demo-select got "banana"',
        "answered",
        "terminal",
        keys=("down", "enter"),
        told="banana",
    ),
    Step(
        "choose on the phone what the model asked",
        COLOUR,
        "phone",
        "taps green",
        "the person chose green",
        "answered",
        "remote",
        answer={"index": 1},
        told="green",
    ),
    Step(
        "confirm in the terminal",
        DELETE,
        "terminal",
        "presses Enter on Yes",
        "demo-confirm got true",
        "answered",
        "terminal",
        keys=("enter",),
        told="Yes",
    ),
    Step(
        "confirm on the phone",
        DELETE,
        "phone",
        "taps No",
        "demo-confirm got false",
        "answered",
        "remote",
        answer={"confirmed": False},
        told="No",
    ),
    Step(
        "type in the terminal",
        NAME,
        "terminal",
        "types Ada and presses Enter",
        'demo-input got "Ada"',
        "answered",
        "terminal",
        keys=("Ada", "enter"),
    ),
    Step(
        "type on the phone",
        NAME,
        "phone",
        "types Grace and sends it",
        'demo-input got "Grace"',
        "answered",
        "remote",
        answer={"value": "Grace"},
    ),
    Step(
        "edit in the terminal",
        PLAN,
        "terminal",
        "adds a sentence and presses Enter",
        r'demo-editor got "Dig.\nPlant roses. Water them."',
        "answered",
        "terminal",
        keys=(" Water them.", "enter"),
    ),
    Step(
        "edit on the phone",
        PLAN,
        "phone",
        "changes a word and saves",
        r'demo-editor got "Dig.\nPlant tulips."',
        "answered",
        "remote",
        answer={"value": "Dig.\nPlant tulips."},
    ),
    Step(
        "answer questions in the terminal",
        WORK,
        "terminal",
        "presses Enter on Main, Space on Lint, Tab and Enter",
        'demo-ask got {"branch":"main","checks":["lint"]}',
        "answered",
        "terminal",
        keys=("enter", " ", "tab", "enter"),
        told="Main, Lint",
    ),
    Step(
        "answer questions on the phone",
        WORK,
        "phone",
        "taps Next, Lint and Tests, and sends it",
        'demo-ask got {"branch":"next","checks":["lint","tests"]}',
        "answered",
        "remote",
        answer={"answers": {"branch": "next", "checks": ("lint", "tests")}},
        told="Next, Lint, Tests",
    ),
    Step(
        "cancel on the phone",
        FRUIT,
        "phone",
        "cancels",
        "demo-select got nothing",
        "cancelled",
        "remote",
        answer={"cancelled": True},
    ),
    Step(
        "run out of time",
        DRINK,
        "nobody",
        "answers",
        "demo-timeout got nothing",
        "timed_out",
        "none",
    ),
    Step(
        "refuse an answer that fits no option",
        FRUIT,
        "terminal",
        "presses ↓ twice and Enter",
        'demo-select got "cherry"',
        "answered",
        "terminal",
        keys=("down", "down", "enter"),
        refused={"index": 7},
        told="cherry",
    ),
)
