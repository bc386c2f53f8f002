"""Waiting in code that runs before there is an event loop; a test passes its own and waits for nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

Pause = Callable[[float], object]
"""Waits that many seconds."""

pause_thread: Final[Pause] = threading.Event().wait
"""Really waits, and blocks the thread meanwhile."""
