"""What the tests with the real Pi share."""
