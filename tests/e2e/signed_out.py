"""A Pi that has a model and no key for it."""

from __future__ import annotations

from typing import Any

import pytest

from mirrord.demo import pi_home
from mirrord.demo.pi_home import PROVIDER
from tests.harness import pi


def sign_out(patch: pytest.MonkeyPatch) -> None:
    """Every Pi that starts from here on has no key."""
    known = pi_home.models

    def without_key(base_url: str) -> Any:
        models: Any = known(base_url)
        del models["providers"][PROVIDER]["apiKey"]
        return models

    patch.setattr(pi_home, "models", without_key)
    # What Pi's footer names in place of a model.
    patch.setattr(pi, "MODEL", "unknown")
