"""Promise: what docs/compatibility.md says of the oldest and the newest Pi is so: it is looked at again."""

from __future__ import annotations

import pytest

from tests.harness.pi import GENERATIONS, PiKind
from tools.compatibility import look, recorded


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_it_is_as_it_was_found(kind: PiKind) -> None:
    (before,) = [one for one in recorded() if one.version == kind.version]
    assert look(kind) == before, "look, and write it anew: make compatibility"
