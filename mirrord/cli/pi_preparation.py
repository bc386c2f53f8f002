"""What happens before Pi starts: a fresh copy of the extension, a daemon. Nothing here may keep Pi from starting."""
