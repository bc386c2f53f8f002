"""The screen of `mirrord attach` in a terminal: the stream above, then what the session shows now, and a line to type in.

prompt_toolkit does the line: it knows wide characters, wrapping, pasting and resizing, which an editor of our own would
have to learn. Four of its habits are changed: it does not ask the terminal where the cursor is, it keeps no history
(an answer may be a secret), the line vanishes when it is entered, and every key is for the line editor, also while lines
are shown: the terminal's own line editing would take Backspace and Ctrl+C for itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractContextManager, nullcontext

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import DummyHistory
from prompt_toolkit.input import Input
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output

from mirrord.attach.panel import Panel, no_panel
from mirrord.attach.screen import Interrupted, Typed, nothing
from mirrord.attach.session import AttachSession, LineStart
from mirrord.client.clean import one_line

PROMPT = "> "


def _output() -> Output:
    output = Vt100_Output.from_pty(sys.stdout, term=os.environ.get("TERM"))
    output.enable_cpr = False
    return output


class _Keys(Vt100Input):
    """Stays raw while lines are shown."""

    def cooked_mode(self) -> AbstractContextManager[None]:
        return nullcontext()


class EditorScreen:
    """A terminal at both ends."""

    answers = True
    replaces = True

    def __init__(self, session: AttachSession, keys: Input | None = None, output: Output | None = None) -> None:
        self._session = session
        self._start: LineStart | None = None
        self._panel: Panel = no_panel
        self._prompt: PromptSession[str] = PromptSession(
            self._message,
            is_password=Condition(lambda: session.hides(self._start)),
            history=DummyHistory(),
            erase_when_done=True,
            input=keys or _Keys(sys.stdin),
            output=output or _output(),
        )
        self._prompt.default_buffer.on_text_changed += self._text_changed

    async def show(self, lines: Iterable[str], then: Callable[[], None] = nothing) -> None:
        """Write above the line that is being typed."""
        shown = "".join(f"{line}\n" for line in lines)

        def write() -> None:
            sys.stdout.write(shown)
            sys.stdout.flush()
            then()

        await run_in_terminal(write)

    def replace(self, panel: Panel) -> None:
        """Shown above the line that is being typed."""
        self._panel = panel
        self._prompt.app.invalidate()

    async def typed(self) -> AsyncIterator[Typed]:
        """Every line; Ctrl+D on an empty one ends."""
        with self._prompt.input.raw_mode():
            while True:
                self._start = None
                try:
                    line = await self._prompt.prompt_async()
                except EOFError:
                    return
                except KeyboardInterrupt:
                    raise Interrupted from None
                start = self._start or self._session.start_line()
                await self.show([f"{PROMPT}{'(hidden)' if self._session.hides(start) else one_line(line)}"])
                yield Typed(start, line)

    def _size(self) -> os.terminal_size:
        size = self._prompt.output.get_size()
        return os.terminal_size((size.columns, size.rows))

    def _message(self) -> str:
        return "".join(f"{line}\n" for line in self._panel(self._size())) + PROMPT

    def _text_changed(self, buffer: Buffer) -> None:
        """The first key of a line pins the prompt that is on screen; an emptied line starts anew."""
        if not buffer.text:
            self._start = None
        elif self._start is None:
            self._start = self._session.start_line()
