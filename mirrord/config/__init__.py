"""Configuration: flag over environment over file over default, for every setting of `keys.py`. None is needed.

What is wrong in the file or the environment never stops a daemon or a Pi: it is told, and the setting has the next value in that order.
A file that cannot be read, or says something else than it may about what is private, keeps every session private until it is mended.
"""

from mirrord.config.daemon import Reloaded, daemon_settings, reload
from mirrord.config.keys import EXTENSION_KEYS, KEYS, Key, Taken
from mirrord.config.resolve import Config, Problem, Setting, read_config

__all__ = [
    "EXTENSION_KEYS",
    "KEYS",
    "Config",
    "Key",
    "Problem",
    "Reloaded",
    "Setting",
    "Taken",
    "daemon_settings",
    "read_config",
    "reload",
]
