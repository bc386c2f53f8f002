"""The terminal side: the socket to Pi, the link, the Pi extension."""
