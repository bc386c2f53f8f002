"""All states of the page, of the files that list them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest

from tests.web.chat_states import CHAT_STATES
from tests.web.composer_states import COMPOSER_STATES
from tests.web.page_states import PAGE_STATES
from tests.web.states import STATES, State
from tests.web.surface_states import SURFACE_STATES

ALIKE: Final = frozenset(
    (
        *("pairing-typed", "pairing-not-a-code", "pairing-used-code", "pairing-old-code", "list-one", "list-detached"),
        *("card-select-countdown", "card-select-many", "card-confirm-brief", "card-confirm-others-wait", "card-input", "card-editor-brief"),
        *("card-ask-several", "card-settled-at-terminal", "card-timed-out", "stopped-protocol"),
        *("strips-one", "drawer-blocks-end", "drawer-both", "drawer-question", "drawer-full-terminal", "regions-header", "regions-footer"),
        *("working-usual", "view-inline-full", "view-overlay", "handoff-two", "details-lacking", "details-notifications"),
        *("settings-contrast", "settings-large", "settings-notifications-ask", "settings-notifications-no-push"),
        *("settings-notifications-insecure", "settings-notifications-cut-off", "settings-install", "settings-privacy"),
        *("composer-long", "composer-sending", "composer-accepted", "composer-queue-folded", "composer-shell"),
        *("chat-thinking-open", "chat-kinds-start", "chat-toasts"),
    )
)
"""States of the same parts as others. The soak looks at each, `make test` at the others."""

TALKING: Final[Sequence[State]] = (*COMPOSER_STATES, *CHAT_STATES)
ALL: Final[Sequence[State]] = (*STATES, *SURFACE_STATES, *PAGE_STATES, *TALKING)


def looked_at(states: Sequence[State]) -> list[Any]:
    """Parameters of a test of each."""
    return [pytest.param(state, id=str(state), marks=[pytest.mark.soak] if state.name in ALIKE else []) for state in states]
