"""Tests of what is shown of a folder; each makes repositories of its own."""
