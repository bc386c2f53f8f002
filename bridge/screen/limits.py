"""Bounds of the screen's follower and of its wire, each with its reason."""

from __future__ import annotations

from typing import Final

FEED_BYTES: Final = 2 * 1024 * 1024
"""Output that waits for the follower. It is worked through in half a second, so no more would be of use; Pi's largest burst, a long
conversation that is drawn again, mostly fits."""

RECORD_BYTES: Final = 64 * 1024
"""One record of the feed: what the copy loop reads at once, and what a pipe holds."""

RECORD_COST: Final = 128
"""What a waiting record takes beside its bytes; a flood of single bytes must not take more memory than one of large pieces."""

LOOK_SECONDS: Final = 0.1
"""Between two looks at the screen: ten times within the second in which a menu is to be told."""

SETTLE_SECONDS: Final = 0.25
"""How long a menu must have stood, or been gone, before it is told: between two menus Pi shows its editor for a frame."""

SCREEN_SECONDS: Final = 0.1
"""Between two screens that are sent."""

UNSENT_BYTES: Final = 64 * 1024
"""With more waiting for the daemon no further screen is added: a daemon that does not read gets the newest one when it does."""

RETRY_SECONDS: Final = (0.5, 1.0, 2.0, 5.0)
"""Pauses before the first tries to reach the daemon, and before all later ones: a daemon that starts is found within seconds."""

REFUSED_SECONDS: Final = 60.0
"""Pause after a daemon refused: another one may run by then."""
