"""What the demo tells: a story for people, or an object a step for programs."""

from __future__ import annotations

import json
from collections.abc import Callable

from mirrord.client.clean import one_line
from mirrord.demo.steps import Actor, Step
from mirrord.wire import messages as wire

_ACTORS: dict[Actor, str] = {"terminal": "The person at the terminal", "phone": "The phone", "nobody": "Nobody"}
_INDENT = "   "


class Report:
    """Told about everything in the order it happens; this one says nothing."""

    def begin(self, session: wire.Session) -> None:
        """Pi runs, and the phone sees it."""

    def step(self, number: int, step: Step) -> None:
        """A step begins."""

    def asked(self, prompt: wire.ExtensionUIRequest) -> None:
        """The question is on both screens."""

    def refused(self, result: wire.ResponseResult) -> None:
        """An answer was refused and changed nothing."""

    def settled(self, step: Step, settled: wire.ExtensionUISettled, seconds: float) -> None:
        """The question has its end, and the phone was told, `seconds` after the actor acted."""

    def done(self, step: Step, settled: wire.ExtensionUISettled, seconds: float) -> None:
        """The extension has the answer and the terminal's dialog is gone."""

    def end(self, steps: int) -> None:
        """Everything went as it should."""


class Story(Report):
    """For people."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def begin(self, session: wire.Session) -> None:
        """Who takes part."""
        version = f" {one_line(session.pi_version)}" if session.pi_version else ""
        self._write(f"Pi{version} runs in a terminal that you do not see here, with a model that answers by a script.")
        self._write("A paired phone follows it over the network. Each question appears on both; the first answer wins.")

    def step(self, number: int, step: Step) -> None:
        """A heading."""
        self._write("")
        self._write(f"{number}. {step.name[0].upper()}{step.name[1:]}")

    def asked(self, prompt: wire.ExtensionUIRequest) -> None:
        """The question as both screens show it."""
        asked = prompt.options or [question.question for question in prompt.questions or ()]
        listed = f" [{' / '.join(map(one_line, asked))}]" if asked else ""
        self._write(f"{_INDENT}Pi asks, in the terminal and on the phone: {one_line(prompt.title)}{listed}")

    def refused(self, result: wire.ResponseResult) -> None:
        """Nothing happened."""
        detail = f": {one_line(result.detail)}" if result.detail else "."
        self._write(f"{_INDENT}The phone sends an answer that fits no option. It is refused{detail} The dialog stays.")

    def settled(self, step: Step, settled: wire.ExtensionUISettled, seconds: float) -> None:
        """What the actor did and what the phone was told."""
        self._write(f"{_INDENT}{_ACTORS[step.actor]} {step.words}.")
        answer = f" “{one_line(settled.answer)}”" if settled.answer else ""
        told = {
            ("answered", "terminal"): f"answered{answer} in the terminal",
            ("answered", "remote"): f"answered{answer} by “{one_line(settled.winner_name or '?')}”",
            ("cancelled", "remote"): f"cancelled by “{one_line(settled.winner_name or '?')}”",
            ("timed_out", "none"): "nobody answered in time",
        }.get((settled.outcome, settled.winner), f"{settled.outcome} ({settled.winner})")
        self._write(f"{_INDENT}After {_duration(seconds)} every device knows: {told}.")

    def done(self, step: Step, settled: wire.ExtensionUISettled, seconds: float) -> None:
        """What the extension received, seen in the terminal."""
        self._write(f"{_INDENT}The terminal's dialog is gone, and Pi says: {step.got}.")

    def end(self, steps: int) -> None:
        """The sum."""
        self._write("")
        self._write(f"All {steps} steps went as they should. Nothing is left behind.")


class Objects(Report):
    """For programs: one JSON object for each step that went as it should."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def done(self, step: Step, settled: wire.ExtensionUISettled, seconds: float) -> None:
        """`ms`: from the actor's act (for `timed_out`: from the question) to the settlement at the phone."""
        line = {
            "step": step.name,
            "method": step.question.method,
            "winner": settled.winner,
            "outcome": settled.outcome,
            "ms": round(seconds * 1000, 1),
        }
        self._write(json.dumps(line))


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
