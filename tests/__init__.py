"""Tests mirror the source tree; tests/e2e runs the real Pi."""
