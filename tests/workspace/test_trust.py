"""Promise: a folder is trusted only while Pi says so of that very folder."""

from __future__ import annotations

import msgspec
import pytest

from bridge import chat as said
from bridge import messages
from mirrord.core.model import TerminalId
from mirrord.daemon.chat_links import ChatLinks
from mirrord.testing import FakeClock, hello
from mirrord.workspace import Place

PI = TerminalId("4242-1")
GARDEN = hello(1).conversation.cwd


@pytest.fixture
def links() -> ChatLinks:
    return ChatLinks(lambda _: None, FakeClock(), lambda _: None)


def state(trusted: bool | None) -> said.ChatState:
    return said.ChatState(seq=1, idle=True, since=0, trusted=trusted)


def moved(cwd: str) -> messages.ConversationChanged:
    return messages.ConversationChanged(seq=1, conversation=msgspec.structs.replace(hello(1).conversation, cwd=cwd))


def test_nothing_is_known_of_a_pi_that_was_never_heard(links: ChatLinks) -> None:
    assert links.place(PI) is None


@pytest.mark.parametrize(("trusted", "known"), [(True, True), (False, False), (None, False)])
def test_a_pi_that_does_not_say_that_its_person_trusts_the_folder_says_no(links: ChatLinks, trusted: bool | None, known: bool) -> None:
    links.heard(PI, hello(1))
    assert links.place(PI) == Place(GARDEN, trusted=False)
    links.heard(PI, state(trusted))
    assert links.place(PI) == Place(GARDEN, trusted=known)


def test_another_folder_is_not_trusted_because_the_last_one_was(links: ChatLinks) -> None:
    links.heard(PI, hello(1))
    links.heard(PI, state(True))
    links.heard(PI, moved(GARDEN))
    assert links.place(PI) == Place(GARDEN, trusted=True)
    links.heard(PI, moved("/tmp/from-the-net"))
    assert links.place(PI) == Place("/tmp/from-the-net", trusted=False)
    links.heard(PI, moved(GARDEN))
    assert links.place(PI) == Place(GARDEN, trusted=False)
    links.forget(PI)
    assert links.place(PI) is None
