"""Tests of the pure core: no I/O, no clock; a conversation is events in and commands out."""
