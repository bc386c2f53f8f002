"""What clients connect to: the gate, the two listeners, and one reader and one writer task for each client."""
