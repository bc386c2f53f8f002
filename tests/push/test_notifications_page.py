"""Promise: docs/notifications.md and the section of docs/security.md tell the words and the numbers of the code."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from mirrord.core.attention import BURST, EVERY_SECONDS, UNSURE_SECONDS
from mirrord.core.calls import WORK_SECONDS
from mirrord.push import https, sender, vapid
from mirrord.push.endpoints import PORT
from mirrord.store.notify import SESSIONS
from mirrord.wire.attention import NotifyKind

DOCS = Path(__file__).parents[2] / "docs"
PAGE, SECURITY, PROTOCOL = (
    " ".join((DOCS / name).read_text("utf-8").split()) for name in ("notifications.md", "security.md", "protocol.md")
)
NUMBERS = {3: "three", 8: "eight"}


@pytest.mark.parametrize(
    "words",
    [
        f"after {WORK_SECONDS:.0f} s of it or more",
        f"in its last {UNSURE_SECONDS:.0f} s",
        f"told {NUMBERS[BURST]} times at once, then once in {EVERY_SECONDS:.0f} s",
        f"its newest {SESSIONS} sessions",
        f"{NUMBERS[sender.TRIES]} tries",
        f"on port {PORT}",
    ],
)
def test_a_number_on_the_page_is_the_constant(words: str) -> None:
    assert words in PAGE


@pytest.mark.parametrize(
    "words",
    [
        f"https, port {PORT}",
        f"at most {https.ANSWER_BYTES // 1024} KiB are read, within {https.SEND_SECONDS:.0f} s",
        f"Tokens are good for {vapid.TOKEN_SECONDS // 3600} hours",
    ],
)
def test_a_number_of_the_security_page_is_the_constant(words: str) -> None:
    assert words in SECURITY


def test_giving_up_takes_about_as_long_as_the_page_says_and_the_service_keeps_a_message_for_a_day() -> None:
    pauses = [sender._pause(failures, None) for failures in range(1, sender.TRIES)]
    assert 8 * 60 <= sum(pauses) <= 12 * 60
    assert sender.TTL_SECONDS == 24 * 3600


def test_the_protocol_page_names_every_switch_and_the_number_of_sessions() -> None:
    assert all(f"`{kind}`" in PROTOCOL for kind in get_args(NotifyKind))
    assert f"the newest {SESSIONS} are kept" in PROTOCOL
