"""Bounds of what is displayed, each with its reason."""

from __future__ import annotations

from typing import Final

TEXT_BYTES: Final = 32 * 1024
"""One displayed text in UTF-8 bytes: a screenful of a phone is 2 KiB, a long plan is 20."""

LABEL_CLUSTERS: Final = 200
"""One line (a title, an option, a status) in grapheme clusters: two full lines of a wide terminal."""

CLUSTER_MARKS: Final = 8
"""Combining marks in one cluster: living scripts stack four; a hundred paint over the lines above."""

CLUSTER_CODE_POINTS: Final = 32
"""Code points of one cluster that count as one: the longest emoji sequences have ten. A longer run (Hangul jamo, number
signs) counts once for each 32 and may be cut there, or one "character" could be as long as the whole text."""

EMOJI_JOINS: Final = 7
"""Zero-width joiners in one emoji: the longest in use (a family, a kiss) have three."""

STRING_CHARACTERS: Final = 4096
"""How much of a control string (OSC, DCS, APC, PM, SOS) that nothing ends is dropped; it never passes the end of a line.
Links and titles are shorter; what follows is text again, so one stray byte cannot hide a whole message. A string that is
ended, and a CSI sequence, are dropped whole however long they are: looking for their end takes time in proportion."""

TAB_SPACES: Final = 3
"""Columns of a tab, as Pi counts them."""

LINE_CHARACTERS: Final = 16 * 1024
"""One line as it arrives, escape sequences included: 300 columns with a 24-bit colour for each are 6 KiB."""

LINES: Final = 160
"""Lines of one component: three screens of a phone; Pi itself cuts a widget at ten."""

SGR_CHARACTERS: Final = 256
"""Parameters of one CSI sequence, as characters; the longest in use (two 24-bit colours and five attributes) have 50."""

PARAMETERS: Final = 32
"""Numbers in one CSI sequence; the others are ignored, as xterm does."""

LARGEST_PARAMETER: Final = 9_999
"""A larger number counts as this one: no screen is larger, and Python refuses to read numbers of 4,300 digits."""

LINK_CHARACTERS: Final = 2_083
"""A link, in ASCII characters; VTE's description of OSC 8 has the number, browsers take more."""

LINK_PARAMETERS: Final = 256
"""The `id=` and others of one OSC 8, as characters; they are read over."""

COLUMNS: Final = 300
"""The widest screen; a wide monitor with a small font has 280."""

ROWS: Final = 200
"""The highest screen."""

FEED_CHARACTERS: Final = 16 * 1024
"""What is worked on before others get a turn: some milliseconds."""

PENS: Final = 8_192
"""Looks remembered for one palette; when there are more, all are forgotten. Pi's themes make some dozens."""

WIDTHS: Final = 8_192
"""Clusters whose columns are remembered; the commonest Chinese characters are 3,500."""

HOST_CHARACTERS: Final = 253
"""A host's name, as DNS bounds it."""

LINKS: Final = 512
"""Links, and texts of links, that are remembered with what was decided; at most some MiB of them."""

COLOURS: Final = 4_096
"""Colours of one palette that are remembered with their roles; a gradient over a wide screen has 300."""

BATCH_BYTES: Final = 16 * 1024 * 1024
"""One line of a batch on the command line: room for 8 MiB of terminal output in base64."""

PLAIN_CHARACTERS: Final = 1024 * 1024
"""What the command line reads for one plain text: thirty times what is shown of it, as most may be escape sequences."""

OSC_CHARACTERS: Final = 4096
"""What is kept of one OSC string while its end is awaited; a longer one is dropped. The longest link that may leave has half."""

SNAPSHOT_SECONDS: Final = 1 / 30
"""Between two snapshots of a screen: nobody sees more of them."""

QUIET_SECONDS: Final = 0.033
"""A program that wrote nothing for so long has drawn what it wanted to: two frames of most programs."""

UNSEEN_SECONDS: Final = 0.15
"""The longest that something new waits for a frame to end or for quiet, which never come from a program that hangs or floods."""
