"""The screen of `mirrord tui`: sessions at the left, conversation, surfaces and protocol beside them, the prompt and a line below."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import ClassVar, Final, Literal

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Input, OptionList, Static, TabbedContent, TabPane
from textual.widgets.option_list import Option

from mirrord.attach.chat import ChatPane
from mirrord.attach.follow import Follower
from mirrord.attach.screen import Typed
from mirrord.attach.session import AttachSession, LineStart
from mirrord.attach.view import session_title, state_words
from mirrord.client import Connection
from mirrord.client.connection import Tap
from mirrord.tui.link import Link
from mirrord.tui.model import Model
from mirrord.tui.painting import session_row, stream_card, surfaces
from mirrord.tui.prompt_card import PromptCard
from mirrord.tui.protocol_log import ProtocolLog
from mirrord.tui.protocol_pane import ProtocolPane
from mirrord.tui.screens import Help
from mirrord.tui.stream import StreamLog, StreamScreen
from mirrord.tui.style import STYLE
from mirrord.wire import messages

DRAW_SECONDS: Final = 0.1
"""Between two looks at what changed: nobody reads faster. Prompts and lines do not wait for it."""

LIST_COLUMNS: Final = 24
"""Of the list of sessions: a third of the smallest terminal that is usual."""

NARROW_COLUMNS: Final = 64
"""Below this the list of sessions would leave no room for anything else."""

PROTOCOL: Final = "wire"
"""The pane of the protocol."""

Dial = Callable[[dict[str, str], Tap], AbstractAsyncContextManager[Connection]]
"""Makes a connection that resumes these sessions and tells of each frame."""

Alive = Callable[[messages.Session], Callable[[], bool]]


class MirrordApp(App[None]):
    """`failure` is what ended it, where that is no wish of the person's."""

    TITLE = "mirrord"
    CSS = STYLE
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS: list[tuple[int, str]] | None = [(0, "narrow"), (NARROW_COLUMNS, "wide")]  # noqa: RUF012 - textual's own type
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help"),
        Binding("f2", "tab('conversation')", show=False),
        Binding("f3", "tab('surfaces')", show=False),
        Binding("f4", "tab('protocol')", show=False),
        Binding("f5", "next", "Next session"),
        Binding("f6", "sidebar", "List"),
        Binding("ctrl+q", "quit", "Leave", priority=True),
        Binding("pageup", "scroll(-1)", show=False),
        Binding("pagedown", "scroll(1)", show=False),
    ]

    def __init__(self, dial: Dial, alive: Alive, *, session: str | None = None, wall: Callable[[], int] | None = None) -> None:
        super().__init__()
        self._wall = wall or (lambda: round(time.time() * 1000))
        self._model = Model()
        self._protocol = ProtocolLog()
        self._link = Link(lambda resume: dial(resume, self._passed), self._model, self, self._wall, alive)
        if session is not None:
            self._link.choose(session)
        self._state: AttachSession | None = None
        self._screen: StreamScreen | None = None
        self._start: LineStart | None = None
        self._drawn = (-1, -1, 0)
        # Held and not looked for: what is looked for is looked for on the topmost screen, which may be the help.
        self._top = Static(id="status")
        self._list = OptionList(id="sessions", compact=True)
        self._list.styles.width = LIST_COLUMNS
        self._tabs = TabbedContent(id="tabs")
        self._stream = StreamLog(id="stream")
        self._surfaces = Static(id="surfaces-text")
        self._frames = ProtocolPane(self._protocol)
        self._card = PromptCard()
        self._line = Input(placeholder="F1 helps", id="line", compact=True)
        self.failure: Exception | None = None

    # ---- what stands where -------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """From the top: the link, the middle, the prompt, the line."""
        yield self._top
        with Horizontal(id="middle"):
            yield self._list
            with self._tabs:
                with TabPane("F2 Conversation", id="conversation"):
                    yield self._stream
                with TabPane("F3 Shown", id="shown"), VerticalScroll(id="surfaces"):
                    yield self._surfaces
                with TabPane("F4 Protocol", id=PROTOCOL):
                    yield self._frames
        yield self._card
        yield self._line
        yield Footer()

    def on_mount(self) -> None:
        """Connect."""
        self._line.focus()
        self.set_interval(DRAW_SECONDS, self._draw)
        self.run_worker(self._connect(), exit_on_error=False)

    async def _connect(self) -> None:
        try:
            await self._link.run()
        except Exception as error:
            self.failure = error
            self.exit()

    # ---- for the link ------------------------------------------------------------------------------------------------

    def follow(self, session_id: str, state: AttachSession, may_answer: bool) -> Follower:
        """Show this session from now on."""
        log = self._stream
        log.empty()
        self._state = state
        self._screen = StreamScreen(log, answers=may_answer, changed=self._show_prompt)
        if self._model.notice:
            log.put([f"- {self._model.notice}"])
        self._begin_line()
        chat = ChatPane(session_id, self._screen, lambda: log.size.width or None, at_desk=True)
        self._show_prompt()
        return Follower(session_id, self._screen, state, chat, self._wall, cards=stream_card)

    def leave(self) -> None:
        """No session is shown."""
        self._state = self._screen = None
        self._show_prompt()

    def _passed(self, direction: Literal["in", "out"], text: str) -> None:
        self._protocol.put(direction, text, self._wall())

    # ---- what is drawn -----------------------------------------------------------------------------------------------

    def _show_prompt(self) -> None:
        prompt = None if self._state is None else self._state.current
        waits = prompt is not None and self._state is not None and self._state.pending.waits_for(prompt.id)
        may_answer = self._screen is not None and self._screen.answers
        self._card.give(prompt, may_answer=may_answer, waits=waits)
        self._hide_typing()

    def _draw(self) -> None:
        """Whatever changed since the last time; ages once a second."""
        seconds = self._wall() // 1000
        now = (self._model.changes, self._protocol.total, seconds)
        if now == self._drawn or not self._frames.is_mounted:
            return
        changed, passed = now[0] != self._drawn[0], now[1] != self._drawn[1]
        self._drawn = now
        self._top.update(self._status())
        if changed:
            self._draw_sessions()
            self._surfaces.update(surfaces(self._model.board))
        if passed:
            # An answer that went out has changed what its card says.
            self._show_prompt()
            self._show_frames()

    def _show_frames(self) -> None:
        """Only where they are seen: laying out a large frame takes a tenth of a second."""
        if self._tabs.active == PROTOCOL:
            self._frames.refresh_frames()

    def _status(self) -> Content:
        light = Content.styled("● ", "$text-success") if self._model.linked else Content.styled("○ ", "bold $text-error")
        session = self._model.session
        parts: list[Content] = [light, Content(self._model.link)]
        if session is not None:
            parts += [Content("  "), Content.styled(session_title(session), "bold"), Content(f"  {self._words(session)}")]
        return Content("").join(parts)

    def _draw_sessions(self) -> None:
        listed = self._list
        marked = listed.highlighted
        chosen = self._model.chosen
        options = [
            Option(session_row(session, session.session_id == chosen, LIST_COLUMNS - 1), id=session.session_id)
            for session in self._model.sessions.values()
        ]
        listed.set_options(options or [Option(Content.styled("No session.\nStart one with\nmirrord pi", "dim"), disabled=True)])
        if options and marked is not None:
            listed.highlighted = min(marked, len(options) - 1)
        line = self._line
        line.disabled = self._model.linked and self._model.role == "observer"
        line.placeholder = "Only looking" if line.disabled else "A line for Pi, or the answer to the prompt; F1 helps"

    def _words(self, session: messages.Session) -> str:
        return state_words(session, self._wall() + self._model.ahead)

    # ---- what is typed -----------------------------------------------------------------------------------------------

    def on_input_changed(self, event: Input.Changed) -> None:
        """The first key of a line counts for what is on screen."""
        if not event.value:
            self._begin_line()
        elif self._start is None:
            self._start = LineStart(self._card.painted)
        self._hide_typing()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give the line to whoever it is for."""
        start = self._start or LineStart(self._card.painted)
        screen = self._screen
        event.input.clear()
        self._begin_line()
        if screen is not None and screen.answers:
            screen.enter(Typed(start, event.value))
        self.call_later(self._show_prompt)

    def _begin_line(self) -> None:
        self._start = None
        self._hide_typing()

    def _hide_typing(self) -> None:
        self._line.password = self._state is not None and self._state.hides(self._start)

    def on_tabbed_content_tab_activated(self) -> None:
        """A pane that was hidden is behind; the protocol needs the room of the card."""
        self.screen_stack[0].set_class(self._tabs.active == PROTOCOL, "protocol")
        self._show_frames()

    # ---- keys --------------------------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Follow the marked session."""
        if event.option_id is not None:
            self._link.choose(event.option_id)
            self._line.focus()

    def action_help(self) -> None:
        """Keys and lines."""
        self.push_screen(Help())

    def action_tab(self, name: str) -> None:
        """Show one of the three panes."""
        panes = {"conversation": ("conversation", "#line"), "surfaces": ("shown", "#surfaces"), "protocol": (PROTOCOL, "#frames")}
        pane, focus = panes[name]
        self._tabs.active = pane
        self.call_after_refresh(partial(self._focus, focus))

    def action_next(self) -> None:
        """The next session in the list."""
        following = self._model.after(self._model.chosen)
        if following is not None:
            self._link.choose(following)

    def action_sidebar(self) -> None:
        """Hide the list of sessions, or show it."""
        self.screen.toggle_class("hidden")

    def action_scroll(self, pages: int) -> None:
        """Scroll what is shown, wherever the keys go."""
        names = {"conversation": "#stream", "shown": "#surfaces", PROTOCOL: "#detail"}
        pane = self.query_one(names[self._tabs.active])
        if pages < 0:
            pane.scroll_page_up(animate=False)
        else:
            pane.scroll_page_down(animate=False)

    def _focus(self, selector: str) -> None:
        self.query_one(selector).focus()
