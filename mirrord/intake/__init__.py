"""Bridge messages become core events here, and every text is sanitized on the way in (design FIXED 3).

Past this package no displayed text from a terminal is dirty. Content (a prefill, the values of an ask) passes whole. What is typed
freely into a prompt does not pass at all: a settlement carries choices or nothing.
"""

from mirrord.intake.messages import Intake, terminal

__all__ = ["Intake", "terminal"]
