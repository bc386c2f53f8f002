"""The daemon and the command line of mirrord."""

__version__ = "0.1.0"
