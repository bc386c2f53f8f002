"""Text that arrives dirty leaves as clean spans."""
