"""The terminal's screen, followed beside Pi: which menu of its own Pi waits in, and what may be seen of it (`docs/screen.md`)."""
