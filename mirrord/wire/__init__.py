"""The client protocol: message structs, limits, roles and capabilities. Knows nothing of how state is kept."""
