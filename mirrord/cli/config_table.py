"""The configuration as lines for people and as data. Pure; every text is cleaned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from mirrord.client.clean import one_line
from mirrord.config import Config, Setting
from mirrord.config.kinds import Value
from mirrord.words.columns import columns

_ORIGINS: Final = {
    "flag": "the command line",
    "environment": "the environment",
    "file": "the file",
    "default": "default",
    "safe": "the file cannot be used",
}


def table(config: Config, *, origin: bool) -> Iterator[str]:
    """A line a setting."""
    rows = [(setting.key.name, _words(setting), _origin(setting)) for setting in config.settings.values()]
    yield from columns(rows if origin else [row[:2] for row in rows])


def as_object(config: Config) -> dict[str, Any]:
    """What `mirrord config show --json` prints."""
    return {
        "file": str(config.file),
        "usable": config.usable,
        "settings": {
            name: {
                "value": setting.value,
                "source": setting.source,
                "where": setting.where,
                "taken": setting.key.taken.name.lower(),
                "doc": setting.key.doc,
            }
            for name, setting in config.settings.items()
        },
        "problems": [{"key": each.key, "line": each.line, "message": each.sentence} for each in config.problems],
    }


def toml(value: Value) -> str:
    """A value as it stands in the file."""
    if isinstance(value, tuple):
        return f"[{', '.join(toml(each) for each in value)}]"
    # JSON's texts, numbers and booleans are TOML's too.
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value, ensure_ascii=False)


def _words(setting: Setting) -> str:
    return one_line(toml(setting.value)) if setting.value is not None else f"({setting.key.unset})"


def _origin(setting: Setting) -> str:
    return one_line(setting.where) if setting.where is not None and setting.source != "safe" else _ORIGINS[setting.source]
