"""The working row as it may be shown: its message on one line, its frames short and few, at a speed that does not flicker."""

from __future__ import annotations

from typing import Final

from bridge import messages as said
from mirrord.wire.surface_limits import (
    INDICATOR_FRAME_CLUSTERS,
    INDICATOR_FRAMES,
    INDICATOR_MS_LEAST,
    INDICATOR_MS_MOST,
    STATUS_CLUSTERS,
)
from mirrord.wire.surfaces import Indicator, WorkingRow
from sanitize import label

THINKING_CLUSTERS: Final = 160
"""What stands for hidden thinking: a line."""


def working_row(row: said.WorkingRow) -> WorkingRow:
    """The row; what an extension did not set is absent."""
    message = label(row.message, limit=STATUS_CLUSTERS).text or None if row.message is not None else None
    return WorkingRow(row.visible, message, _indicator(row.frames, row.interval_ms))


def _indicator(frames: tuple[str, ...] | None, interval: int | None) -> Indicator | None:
    """None, Pi's own, also for frames that only the terminal's font can show."""
    if frames is None:
        return None
    shown = tuple(label(frame, limit=INDICATOR_FRAME_CLUSTERS).text for frame in frames[:INDICATOR_FRAMES])
    if shown and not any(shown):
        return None
    return Indicator(shown, min(max(interval, INDICATOR_MS_LEAST), INDICATOR_MS_MOST) if shown and interval is not None else None)
