"""Bounds of what Pi shows besides prompts, as clients get it (the contract's "Payload limits").

Past one of them a surface is cut and says so in `truncated`; it is never left out because of its size.
"""

from __future__ import annotations

from typing import Final

from bridge import limits as bridge

SURFACE_BYTES: Final = 64 * bridge.KIB
"""One native surface as JSON: two full texts with their marks; a phone takes it twenty times a second on a good network only."""

FALLBACK_BYTES: Final = 16 * bridge.KIB
"""The fallback's share of it, so that blocks and fallback do not crowd each other out: 160 lines of 100 columns."""

BLOCKS: Final = 80
"""Blocks of a surface, those within sections counted: ten screens of a phone."""

DEPTH: Final = 6
"""Blocks within blocks, and rows within rows: more indents than a phone is wide. Rows begin one below their list."""

SURFACE_TEXT_BYTES: Final = bridge.TEXT_BYTES
"""All texts of a surface's blocks, in UTF-8 bytes: as much as any other displayed text."""

SPANS: Final = 320
"""Runs of text of a surface: two a line. Lines past them keep their text in one span, without its looks."""

TERMINAL_LINES: Final = bridge.DRAWN_LINES
"""Lines of a surface's terminal blocks, and of its fallback: what a component's drawing has at most."""

ROWS: Final = 160
"""Rows of a surface's activity lists, children counted: as many as lines."""

WIDGET_LINES_BYTES: Final = bridge.TEXT_BYTES
"""A surface's text alone (`widgetLines`), in UTF-8 bytes."""

SURFACES_BYTES: Final = 1024 * bridge.KIB
"""All surfaces of one session as JSON: a quarter of what may wait for a client, so that its snapshot always fits. Of a surface that does
not fit beside the others only the heading is shown, until it is drawn again and does."""

INDICATOR_FRAMES: Final = bridge.INDICATOR_FRAMES
INDICATOR_FRAME_CLUSTERS: Final = bridge.INDICATOR_FRAME_CHARS
INDICATOR_MS_LEAST: Final = bridge.INDICATOR_MS_LEAST
INDICATOR_MS_MOST: Final = bridge.INDICATOR_MS_MOST
"""The working indicator as on the bridge: 24 frames of 16 characters, 80 to 60,000 ms."""

STATUS_CLUSTERS: Final = 160
"""A status or a working message: two lines of a phone."""

KEY_CLUSTERS: Final = 80
"""The key of a status or a widget, which is its label where there is no other."""

HEADING_CLUSTERS: Final = 120
"""A title, a subtitle, a label: two lines of a phone."""

DETAIL_CLUSTERS: Final = 400
"""A row's detail, or what is said to who cannot see: some sentences."""

ID_CLUSTERS: Final = 80
"""The id of a block or a row, by which a client remembers that it was opened."""

HANDOFF_INLINE_BYTES: Final = 32 * bridge.KIB
"""A text handed to the composer up to this travels with its message; a longer one is fetched in pieces by who wants it."""

HANDOFFS: Final = 2
"""Long texts of one session that can still be fetched: who was told of one fetches it at once."""

KEY_SECONDS: Final = bridge.UPDATE_MS / 1000
"""Between two changes of the same thing to one client: nobody reads faster than twenty a second."""

STATES_AT_ONCE: Final = 10
STATES_A_SECOND: Final = 30
"""Changes of state to one client: after a rest ten at once, then thirty a second. The newest value of each waits until it may go."""

NOTES_AT_ONCE: Final = 10
NOTES_A_SECOND: Final = 10
"""Notifications to one client: after a rest ten at once, then ten a second. Together with the changes of state no second has more than
sixty messages. Prompts and settlements wait for none of them."""

NOTES_HELD: Final = 20
"""Notifications that wait for their turn, two seconds of them; of more the oldest are dropped, and counted."""
