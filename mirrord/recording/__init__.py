"""Recordings of what clients are told of a session: made, read by a person, and shown again."""
