"""From the configuration to the settings of one daemon, and anew when it is told to reload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

from bridge.paths import Paths
from mirrord.config.keys import KEYS, Taken
from mirrord.config.kinds import Value
from mirrord.config.resolve import Config, Problem, Source, read_config
from mirrord.settings import SPARE_PORTS, Settings

_FIELDS: Final = {
    "port": "port",
    "idle_exit": "idle_exit",
    "log_level": "log_level",
    "retention_days": "retention_days",
    "retention_bytes": "retention_bytes",
    "notify.command": "notify_command",
    "notify.titles": "notify_titles",
    "push.contact": "push_contact",
}
"""Name of the setting → field of `Settings`."""

_NOBODY_CHOSE: Final[tuple[Source, ...]] = ("default", "safe")


def daemon_settings(paths: Paths, config: Config, *, deserted_after: float | None = None, spare: bool = False) -> Settings:
    """Settings of a daemon.

    `deserted_after`: its `idle_exit` where nobody set one. `spare`: other ports will do, unless somebody chose the port.
    """
    idle_exit = cast("float | None", config["idle_exit"])
    if config.settings["idle_exit"].source in _NOBODY_CHOSE:
        idle_exit = deserted_after
    return Settings(
        paths,
        port=cast("int", config["port"]),
        idle_exit=idle_exit or None,  # 0 is never
        spare_ports=SPARE_PORTS if spare and config.settings["port"].source in _NOBODY_CHOSE else 0,
        log_level=cast("str", config["log_level"]),
        retention_days=cast("int", config["retention_days"]),
        retention_bytes=cast("int", config["retention_bytes"]),
        notify_command=cast("tuple[str, ...]", config["notify.command"]),
        notify_titles=cast("bool", config["notify.titles"]),
        push_contact=cast("str | None", config["push.contact"]),
        given=frozenset(name for name, setting in config.settings.items() if setting.source == "flag"),
        complaints=tuple(problem.sentence for problem in config.problems),
    )


@dataclass(frozen=True, slots=True)
class Reloaded:
    """What a reload found. `changed` counts from now on; `waiting` changed too, and counts once the daemon starts anew."""

    settings: Settings
    changed: tuple[str, ...]
    waiting: tuple[str, ...]
    problems: tuple[Problem, ...]


def reload(settings: Settings, env: Mapping[str, str]) -> Reloaded:
    """Read the configuration anew; blocks for a small file. What flags decided stays, as does everything if the file cannot be used."""
    flags: dict[str, Value] = {name: getattr(settings, _FIELDS[name]) for name in settings.given if name in _FIELDS}
    config = read_config(settings.paths.config_file, env, flags)
    if not config.usable:
        return Reloaded(settings, (), (), config.problems)
    found = daemon_settings(settings.paths, config, deserted_after=settings.idle_exit)
    different = [name for name, field in _FIELDS.items() if getattr(found, field) != getattr(settings, field)]
    changed = tuple(name for name in different if KEYS[name].taken is Taken.RELOAD)
    new = replace(settings, complaints=found.complaints, **{_FIELDS[name]: getattr(found, _FIELDS[name]) for name in changed})
    return Reloaded(new, changed, tuple(name for name in different if name not in changed), config.problems)
