"""Capability names of the extension UI contract ("Capability negotiation") and what a client may be sent without them."""

from __future__ import annotations

from typing import Final

TEXT_FALLBACK: Final = "extension-native-ui:v1:text-fallback"
PROMPT_NATIVE: Final = "extension-native-ui:v1:prompt-native"
SURFACE_NATIVE: Final = "extension-native-ui:v1:surface-native"
INTERACTIVE_NATIVE: Final = "extension-native-ui:v1:interactive-native"
TIMELINE_NATIVE: Final = "extension-native-ui:v1:timeline-native"
OSC8_LINKS: Final = "extension-native-ui:v1:osc8-links"

SERVER_CAPABILITIES: Final = (TEXT_FALLBACK, PROMPT_NATIVE)
"""What this daemon can send natively."""
