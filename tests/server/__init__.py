"""Tests of what clients connect to."""
