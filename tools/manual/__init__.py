"""The manual pages, made from what the program itself goes by: its help texts, its table of settings, and docs/protocol.md."""
