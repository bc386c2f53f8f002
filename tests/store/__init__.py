"""Tests of what is on disk: a store that is opened, written, filled up, failed in the middle of a write, and killed."""
