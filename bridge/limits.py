"""Bounds of the bridge wire; each is derived from the one before it, and docs/bridge.md names them."""

from __future__ import annotations

from typing import Final

from sanitize import limits as display

KIB: Final = 1024

TEXT_BYTES: Final = display.TEXT_BYTES
"""One displayed text (title, message, one option), in UTF-8 bytes: what the sanitizer would cut it to is not sent."""

OPTIONS_SENT: Final = 200
"""Options carried in a request; more are answerable by index and come in pages."""

CONTENT_BYTES: Final = 1024 * KIB
"""Content that goes back to the terminal (a prefill, an edited text), in UTF-8 bytes: a long plan is 20 KiB; a megabyte is a file."""

PIECE_BYTES: Final = 256 * KIB
"""One piece of content as JSON, so that a frame holds it however much had to be escaped."""

PIECE_CHARACTERS: Final = PIECE_BYTES // 6
"""A character is at most six bytes of JSON (`\\u001b`), so that many always fit a piece."""

OPTIONS_KEPT: Final = 10_000
"""Options of one select that can be paged through; more are answerable by index only."""

OPTIONS_BYTES: Final = 1024 * KIB
"""All options of one select that are kept for paging, in UTF-8 bytes."""

QUESTIONS: Final = 50
"""Questions of one ask: more than anybody answers on a phone; an ask with more stays at the terminal."""

PROMPT_BYTES: Final = 256 * KIB
"""All displayed texts of one prompt: eight full texts, or 200 options of more than a KiB."""

FRAME_BYTES: Final = 2 * PROMPT_BYTES
"""One line on the wire with its LF: JSON escaping at most doubles ordinary text, and a prompt must always fit."""

HELLO_SECONDS: Final = 5.0
"""A peer that has not introduced itself by then is not an extension."""

PING_SECONDS: Final = 10.0
"""Silence after which a side asks whether the other is there."""

DEAD_SECONDS: Final = 25.0
"""Silence after which a link is closed: two pings and their answers would have fitted."""

KEPT_SETTLEMENTS: Final = 256
"""Settlements and verdicts remembered on either side (design FIXED 2)."""

OPEN_PROMPTS: Final = 100
"""Open prompts of one session that are offered to remotes; the terminal shows more all the same."""

STATUSES: Final = 64
"""Status keys kept for one session; the oldest untouched gives way."""

WIDGETS: Final = 64
"""Widget keys kept for one session, both placements together; the oldest untouched gives way. A terminal shows a handful."""

KEY_BYTES: Final = KIB
"""The key of a widget, in UTF-8 bytes: it is a name for programs."""

SOURCE_BYTES: Final = 256
"""The name of an extension, in UTF-8 bytes: npm allows 214."""

DRAWN_LINES: Final = 160
"""Lines of one widget, region or view: more than any terminal is high."""

LINE_BYTES: Final = 16 * KIB
"""One such line, in UTF-8 bytes: 500 columns that each have a 24-bit foreground and background and a mark."""

DRAWN_BYTES: Final = 192 * KIB
"""All such lines of one message as JSON, where ESC takes six bytes: with NATIVE_BYTES they fit a frame."""

NATIVE_BYTES: Final = 256 * KIB
"""What `renderNative()` gave, as JSON: four times what a client is sent, so that the daemon can tell what it left out."""

NATIVE_DEPTH: Final = 64
"""Arrays and objects in each other in it: the deepest surface that is shown, six blocks and six rows deep, has half as many."""

NATIVE_ERROR_BYTES: Final = 512
"""Why there is none, in UTF-8 bytes: a sentence."""

PALETTE_TOKENS: Final = 128
"""Colours of a theme: Pi has about fifty."""

SGR_BYTES: Final = 64
"""The sequence that starts one of them: a 24-bit foreground with background and traits has fewer."""

INDICATOR_FRAMES: Final = 24
"""Frames of a working indicator: two seconds of twelve a second."""

INDICATOR_FRAME_CHARS: Final = 16
"""One of them, in characters without escape sequences: a short bar or a word."""

INDICATOR_FRAME_BYTES: Final = KIB
"""The same in UTF-8 bytes with escape sequences, before the daemon takes them out."""

INDICATOR_MS_LEAST: Final = 80
"""A faster one flickers: Pi's own has 80 ms."""

INDICATOR_MS_MOST: Final = 60_000
"""A slower one stands still."""

UPDATE_MS: Final = 50
"""An update of the same status, widget, region, view, working row, label or switch comes so much later than the one before: 20 a second."""

LINKS: Final = 256
"""Extensions connected at once: far more than terminals on one desk, few enough to bound memory."""

LINK_OUTBOX_BYTES: Final = 6 * CONTENT_BYTES + 2 * FRAME_BYTES
"""Bytes that wait for one extension: the largest content in its longest JSON, where a control character takes six, and two frames. It is
written at once, and Pi reads it when it finds the time."""

LINK_WRITE_SECONDS: Final = 10.0
"""How long an extension may take no byte at all before its link is cut: Pi's event loop is never busy that long."""

ACCEPT_PAUSE_SECONDS: Final = 0.5
"""Pause after the system had no descriptor for a new link: no spinning, and well under the extension's next try (5 s)."""

REFUSAL_SECONDS: Final = 1.0
"""How long a refusal may take to be written before the link is cut all the same."""

CHAT_TEXT_BYTES: Final = 256 * KIB
"""One text of the conversation, in UTF-8 bytes: Pi cuts a tool's output at 50 KiB itself, and a book's chapter has 100."""

CHAT_PAGE_ROWS: Final = 100
"""Rows of one page of the conversation: more than a person scrolls past at once."""

CHAT_PAGE_BYTES: Final = FRAME_BYTES
"""A page as JSON: it fits one frame, so that a client has its first rows after 512 KiB at most."""
