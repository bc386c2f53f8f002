"""`mirrord tui`: sessions, conversation, prompts, surfaces and the protocol itself on one screen. Needs the extra `tui` (textual)."""
