"""Tests of Web Push, against a push service on loopback."""
