"""The prompt that waits, and what counts as being on screen: what was painted, and not what is about to be."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from mirrord.tui.painting import card, hint
from mirrord.wire.messages import ExtensionUIRequest


class PromptCard(Vertical):
    """What is asked, which scrolls, above what can be typed, which does not.

    `painted` is the prompt that a person sees; a key that is typed now is meant for it.
    """

    def __init__(self) -> None:
        super().__init__(id="card")
        self.painted: ExtensionUIRequest | None = None
        self._given: tuple[ExtensionUIRequest | None, bool, bool] = (None, False, False)
        self._scroll = VerticalScroll(id="card-scroll", can_focus=True)
        self._text = Static(id="card-text")
        self._hint = Static(id="card-hint")

    def compose(self) -> ComposeResult:
        """One above the other."""
        with self._scroll:
            yield self._text
        yield self._hint

    def give(self, prompt: ExtensionUIRequest | None, *, may_answer: bool, waits: bool) -> None:
        """Show this prompt, or none."""
        if self._given == (prompt, may_answer, waits):
            return
        before, self._given = self._given[0], (prompt, may_answer, waits)
        self.display = prompt is not None
        if prompt is not None:
            self._text.update(card(prompt))
            self._hint.update(hint(prompt, may_answer, waits))
        if prompt is None or before is None or prompt.id != before.id:
            self._scroll.scroll_home(animate=False)
            # Until it was drawn a key can be meant for neither the old nor the new one.
            self.painted = None
        self.call_after_refresh(self._was_painted, prompt)

    def _was_painted(self, prompt: ExtensionUIRequest | None) -> None:
        if self._given[0] is prompt:
            self.painted = prompt
