"""The pane of the protocol itself: each frame in and out, filtered, held still, laid out and copied."""

from __future__ import annotations

import time
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import DataTable, Input, Static

from mirrord.tui.protocol_log import LOG_FRAMES, Logged, ProtocolLog

_ARROWS = {"in": "←", "out": "→"}


class ProtocolPane(Vertical):
    """`refresh_frames` shows what came since. The table holds at most what the log does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/"),
        Binding("p", "pause", "Hold"),
        Binding("y", "copy", "Copy"),
    ]

    def __init__(self, log: ProtocolLog) -> None:
        super().__init__(id="protocol")
        self._log = log
        self._rows: dict[str, Logged] = {}
        self._last = 0

    def compose(self) -> ComposeResult:
        """The state, the filter, the list, and the marked frame."""
        yield Static(id="protocol-state")
        yield Input(placeholder="Only frames that hold this text", id="filter", compact=True)
        table: DataTable[Content] = DataTable(id="frames", cursor_type="row", zebra_stripes=False)
        yield table
        with VerticalScroll(id="detail", can_focus=True):
            yield Static(id="frame")

    @property
    def _table(self) -> DataTable[Content]:
        return self.query_one("#frames", DataTable)

    def on_mount(self) -> None:
        """Columns."""
        for name, width in (("at", 8), ("", 1), ("type", 25), ("what", None)):
            self._table.add_column(name, width=width)
        self._show_state()

    def refresh_frames(self) -> None:
        """Add what came, and drop what the log dropped."""
        table, follow = self._table, self._is_at_end()
        for logged in self._log.shown(after=self._last):
            self._last = logged.number
            self._add(logged)
        while len(self._rows) > LOG_FRAMES:
            oldest = next(iter(self._rows))
            del self._rows[oldest]
            table.remove_row(oldest)
        if follow and self._rows:
            table.move_cursor(row=table.row_count - 1)
        self._show_state()

    def action_filter(self) -> None:
        """Type what frames must hold."""
        self.query_one("#filter", Input).focus()

    def action_pause(self) -> None:
        """Hold the list, or let it go on."""
        self._log.pause(not self._log.paused)
        self.refresh_frames()

    def action_copy(self) -> None:
        """The marked frame, as one line of JSON."""
        marked = self._marked()
        if marked is not None:
            self.app.copy_to_clipboard(marked.text)
            self.app.notify("Copied, where this terminal lets programs copy.", timeout=2)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter anew."""
        event.stop()
        self._log.wanted = event.value.strip()
        self._table.clear()
        self._rows.clear()
        self._last = 0
        self.refresh_frames()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Back to the list."""
        event.stop()
        self._table.focus()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Lay the marked frame out."""
        marked = self._rows.get(str(event.row_key.value))
        self.query_one("#frame", Static).update(Content(marked.laid_out() if marked is not None else ""))

    def _marked(self) -> Logged | None:
        table = self._table
        if not table.row_count:
            return None
        return self._rows.get(str(table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value))

    def _is_at_end(self) -> bool:
        return not self._table.has_focus or self._table.cursor_row >= self._table.row_count - 1

    def _add(self, logged: Logged) -> None:
        key = str(logged.number)
        self._rows[key] = logged
        at = time.strftime("%H:%M:%S", time.localtime(logged.at / 1000))
        arrow = Content.styled(_ARROWS[logged.direction], "$text-accent" if logged.direction == "out" else "dim")
        self._table.add_row(Content(at), arrow, Content(logged.kind), Content(logged.what), key=key)

    def _show_state(self) -> None:
        held = ("  held; p lets it go on", "bold $text-warning") if self._log.paused else ""
        self.query_one("#protocol-state", Static).update(Content.assemble(f"{len(self._rows)} of {self._log.total} frames", held))
