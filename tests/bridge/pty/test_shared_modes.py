"""Promise: whoever is killed while it tells which modes are on leaves the old ones or the new ones, never others."""

from __future__ import annotations

import os
import signal

from bridge.pty.shared_modes import SharedModes

WORDS = {0x0101_0101_0101_0101, 0x7171_7171_7171_7171}
READS = 100_000


def test_a_word_that_is_read_while_it_is_written_is_the_old_one_or_the_new_one() -> None:
    shared = SharedModes()
    shared.store(min(WORDS))
    writer = os.fork()
    if not writer:
        while True:
            for word in WORDS:
                shared.store(word)
    try:
        seen = {shared.load().word for _ in range(READS)}
        while seen != WORDS:
            seen.add(shared.load().word)
            assert seen <= WORDS
    finally:
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)


def test_nothing_is_on_at_first() -> None:
    assert SharedModes().load().word == 0
