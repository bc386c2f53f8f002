"""Bounds of the client protocol, each derived from the bridge's where it carries the same thing."""

from __future__ import annotations

from typing import Final

from bridge.limits import CHAT_PAGE_ROWS, CONTENT_BYTES, KIB, OPEN_PROMPTS

CLIENT_FRAME_BYTES: Final = 1024 * KIB
"""One frame from a client: the largest content (an edited text of 1 MiB) travels in pieces of 256 KiB, so this leaves room."""

PREFILL_INLINE_BYTES: Final = 128 * KIB
"""An editor's prefill up to this travels with its prompt; a longer one is fetched in pieces by who opens it."""

OUTBOX_BYTES: Final = 4096 * KIB
"""What may wait for one client: a snapshot with the largest prompts, and a burst behind it."""

CUT_PROMPT_BYTES: Final = 8 * KIB
"""A prompt that does not fit beside the other open ones of its session is cut to this much JSON: one screen of a phone."""

PROMPTS_BYTES: Final = OUTBOX_BYTES // 2
"""All open prompts of one session as JSON, the cut ones with them: half of what may wait for a client, so that with its surfaces (a
quarter) a snapshot always fits. Room for OPEN_PROMPTS cut ones is set apart."""

WHOLE_PROMPTS_BYTES: Final = PROMPTS_BYTES - OPEN_PROMPTS * CUT_PROMPT_BYTES
"""What is left for those that are told whole: four of the largest, or hundreds of ordinary ones."""

MAY_BYTES: Final = 4 * KIB
"""Notifications wait only while no more than this does, or nothing: half a second of 8 KB/s, behind which newer state is not late."""

OUTBOX_SECONDS: Final = 10.0
"""How long a client may take nothing of what waits for it before it is cut and reconnects into a snapshot."""

HELLO_SECONDS: Final = 10.0
"""A client that has not said hello by then is closed; phones on bad networks need more than a local peer."""

NAME_CLUSTERS: Final = 64
"""Length of a client's or credential's name as shown to others."""

RESPONSE_ID_CHARS: Final = 128
"""A client-made id: a UUID is 36; the rest is room for prefixes."""

CONTENDERS: Final = 128
"""Answers that wait behind the one that is being confirmed: a hundred devices answer at once, and each that lost is told to whom."""

CONTENTS_BYTES: Final = 4 * CONTENT_BYTES
"""What is kept of open prompts of one session for who asks for it, texts to edit and options past the first page: four of the largest. Of
one that finds no room the text is edited at the terminal, and more options are chosen by their number."""

JOURNAL_EVENTS: Final = 256
"""Events of one session kept for clients that come back with a cursor."""

ENDED_SESSIONS: Final = 32
"""Sessions that are over and still listed, newest first."""

RETENTION_DAYS: Final = 14
"""How long receipts and ended sessions are kept where nobody sets it: a phone that was away for its owner's holiday still learns what
became of its message."""

RETENTION_BYTES: Final = 16 * 1024 * KIB
"""And the most of each: many times what a busy person makes in that time; what is kept of one prompt or message is below a kilobyte."""

CLIENTS: Final = 1024
"""Connections at once, all listeners together; 15 KiB each when idle."""

CAPABILITIES: Final = 32
"""Capability names a client may claim; the contract has six."""

CAPABILITY_CHARS: Final = 64
"""Length of one capability name."""

SUBSCRIPTIONS: Final = 256
"""Sessions one client may follow, of those that are listed."""

CHAT_ROWS: Final = 300
"""Messages of one conversation that the daemon keeps and a client is given first: three pages; older ones are fetched."""

CHAT_BYTES: Final = 1024 * KIB
"""The same as JSON: with the largest conversation a phone has its first page after a MiB, and an outbox has room for it."""

CHAT_LEAST_BYTES: Final = 64 * KIB
"""What is left of that when all sessions together hold too much: the first screens of a phone; the terminal has the rest."""

SESSIONS_BYTES: Final = 64 * CHAT_BYTES
"""Everything of all sessions, as JSON: sixty-four of the longest conversations. In memory it takes a third more, some 90 MB, which is what
a program in the background may have; and no more however many sessions there are."""

CHAT_HISTORY_ROWS: Final = CHAT_PAGE_ROWS
"""Older messages that one command fetches."""

CHAT_FRAME_BYTES: Final = 64 * KIB
"""One frame of the conversation; a larger event goes out in pieces (the native chat contract's bound on a chunk of a stream)."""

CHAT_PACE_SECONDS: Final = 0.1
"""Between two events for a client that gets whole messages: ten a second are read as they come, and a long message costs ten copies."""

CHAT_BEHIND_BYTES: Final = 256 * KIB
"""What may wait for a client before it gets no more of conversations, and no further session that it asks to follow; it gets the
difference, and its turn, once it has taken most of it. An outbox has room for this twice and the largest snapshot."""

CHAT_CAUGHT_UP_BYTES: Final = 64 * KIB
"""What may still wait then."""

TURN_ID_CHARS: Final = RESPONSE_ID_CHARS
"""A client-made id of something it sends."""

STOP_SECONDS: Final = 5.0
"""A turn that goes on for so long after it was stopped is said to: a tool that hangs, as a rule."""

SESSION_ID_CHARS: Final = 64
"""A pid and the start of its process, both decimal."""

PUSH_ENDPOINT_CHARS: Final = 2048
"""An address of a push service: browsers' have some 200 characters, and one of theirs has 500."""
