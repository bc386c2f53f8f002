"""Capability names: those of the extension UI contract ("Capability negotiation") and ours for the conversation."""

from __future__ import annotations

from typing import Final

TEXT_FALLBACK: Final = "extension-native-ui:v1:text-fallback"
PROMPT_NATIVE: Final = "extension-native-ui:v1:prompt-native"
SURFACE_NATIVE: Final = "extension-native-ui:v1:surface-native"
OSC8_LINKS: Final = "extension-native-ui:v1:osc8-links"

CHAT: Final = "mirrord:chat:v1"
CHAT_APPENDS: Final = "mirrord:chat:v1:appends"
"""A client that claims it gets new text of a message as `appends`; others get the whole message, ten times a second at most."""

SERVER_CAPABILITIES: Final = (TEXT_FALLBACK, PROMPT_NATIVE, SURFACE_NATIVE, OSC8_LINKS, CHAT, CHAT_APPENDS)
"""What this daemon can send natively."""
