"""The configuration."""

from __future__ import annotations

from collections.abc import Iterator

from mirrord.config import EXTENSION_KEYS
from mirrord.doctor.facts import Facts
from mirrord.doctor.row import Row, ok, problem, warning


def file(facts: Facts) -> Iterator[Row]:
    """Everything in it is understood. What keeps sessions private without anybody's wish, or the other way round, is a problem."""
    config = facts.config
    if config is None:
        return
    about = "Settings"
    for each in config.problems:
        misplaced = each.key is None and any(f".{name} is no setting" in each.sentence for name in EXTENSION_KEYS)
        if not config.usable or each.key in EXTENSION_KEYS:
            yield problem("config", about, f"{each.sentence}; every session stays private until then", "mirrord config check")
        elif misplaced:
            yield problem("config", about, each.sentence, "mirrord config check")
        else:
            yield warning("config", about, each.sentence, "mirrord config check")
    if config.problems:
        return
    if config["mirror"] is False:
        where = config.settings["mirror"].where or ""
        yield warning("config", about, f"sessions stay private: mirror = false ({where})", "mirrord config show --origin")
        return
    changed = sum(setting.source != "default" for setting in config.settings.values())
    yield ok("config", about, f"understood; {changed} of {len(config.settings)} differ from the default")
