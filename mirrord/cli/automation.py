"""Whether a person is there, or a service that builds and tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_NOT_IN_CI: Final = ("", "0", "false")


def is_automated(environ: Mapping[str, str]) -> bool:
    """Whether `CI` is set, which nearly all such services do: nobody reads what is shown, and what is left running is never used again."""
    return environ.get("CI", "").strip().lower() not in _NOT_IN_CI
