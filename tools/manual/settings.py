"""mirrord.toml(5): every setting, from the table that the program itself reads them by. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mirrord.cli.config_table import toml
from mirrord.config.keys import KEYS, Key
from tools.manual import roff

_EXAMPLE: Final = """\
exclude = ["~/private", "**/customer"]
retention_days = 30

[notify]
command = ["/home/ada/bin/tell-me", "pi"]"""


def page() -> str:
    """The whole page."""
    return roff.text(_lines())


def _lines() -> Iterator[str]:
    yield roff.header("mirrord.toml", 5, "File Formats")
    yield from roff.name("mirrord.toml", "settings of mirrord")
    yield from (".SH SYNOPSIS", ".I $XDG_CONFIG_HOME/mirrord/config.toml")
    yield ".SH DESCRIPTION"
    yield from roff.paragraphs(
        "The file is TOML, and none is needed. Without $XDG_CONFIG_HOME it is `~/.config/mirrord/config.toml`; `mirrord config path` "
        "says where. A flag counts before the environment, that before the file, and that before the default.\n\n"
        "An unknown name, or a value of another kind, does not count and stops nothing; `mirrord config check` tells it with its line and "
        "the nearest name. While the file cannot be read, or a setting that keeps sessions private has a value of another kind, every "
        "session stays private.\n\n"
        "Settings without a dot stand above the first `[table]`."
    )
    tables = {name.rpartition(".")[0] for name in KEYS}
    for table in sorted(tables):
        yield f".SH {roff.escaped(f'TABLE [{table}]' if table else 'SETTINGS')}"
        for name, key in KEYS.items():
            if name.rpartition(".")[0] == table:
                yield from _setting(key)
    yield ".SH EXAMPLES"
    yield from roff.literal(_EXAMPLE.splitlines())
    yield from roff.see_also(("mirrord-config", 1), ("mirrord-serve", 1))


def _setting(key: Key) -> Iterator[str]:
    default = key.unset if key.default is None else toml(key.default)
    instead = " or ".join(f"`{name}`" for name in (key.env, key.flag) if name)
    yield from roff.term(
        key.name,
        key.doc,
        f"Must be {key.kind.words}.",
        f"Default: {default}.",
        f"Also by {instead}." if instead else "",
        f"Counts {key.taken.value}.",
    )
