"""The errors of this package that a user can mend."""

from __future__ import annotations


class Refusal(Exception):
    """Something on this machine is not as it must be. `str()` is one sentence: what happened and what to do."""
