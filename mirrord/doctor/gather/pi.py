"""Pi's program, and how it is told to load the extension."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from bridge import pi_settings
from bridge.extension_files import differing, entry_of, is_ours
from bridge.paths import Paths
from bridge.refusal import Refusal
from mirrord.doctor.facts import ExtensionFound, PiFound
from mirrord.errors import MirrordError
from mirrord.pi_program import check_node, find_pi, pi_package

_SETTINGS_BYTES: Final = 1024 * 1024
"""A project's settings of Pi that are larger are none."""


def find(env: Mapping[str, str]) -> PiFound:
    """The Pi that `mirrord pi` would run. Blocks while Node says its version."""
    try:
        path = find_pi(None, env)
    except MirrordError as error:
        return PiFound(None, why_not=str(error))
    try:
        check_node(path, env)
    except MirrordError as error:
        return PiFound(path, pi_package(path), node_problem=str(error))
    return PiFound(path, pi_package(path))


def find_extension(env: Mapping[str, str], home: str, paths: Paths, folder: str) -> ExtensionFound:
    """How a Pi that starts in `folder` gets our extension."""
    settings, entry = pi_settings.settings_path(env, Path(home)), entry_of(paths.data_dir)
    try:
        listed, problem = pi_settings.status(settings, entry, paths.data_dir).value, None
    except Refusal as refusal:
        listed, problem = None, str(refusal)
    return ExtensionFound(
        settings,
        entry,
        listed,
        entry.is_file(),
        differing(paths.data_dir) if entry.is_file() else (),
        tuple(dict.fromkeys(_others(settings, entry, Path(folder)))),
        problem,
    )


def _others(settings: Path, entry: Path, folder: Path) -> Iterator[str]:
    """Places besides the one entry of the settings that have this Pi load a copy of ours."""
    seen_entry = False
    for base, listing in ((settings.parent, settings), (folder / ".pi", folder / ".pi" / "settings.json")):
        for item in _listed(listing):
            path = Path(os.path.normpath(base / os.path.expanduser(item)))
            loaded = path if path.suffix else path / "index.ts"
            if item == str(entry) and listing == settings and not seen_entry:
                seen_entry = True
            elif loaded == entry or is_ours(loaded):
                yield f"{item} in {listing}"
        if (base / "extensions").is_dir():
            yield from (str(found.parent) for found in (base / "extensions").glob("*/index.ts") if is_ours(found))


def _listed(settings: Path) -> list[str]:
    try:
        with settings.open("rb") as file:
            document = json.loads(file.read(_SETTINGS_BYTES))
    except (OSError, ValueError):
        return []
    listed = document.get("extensions") if isinstance(document, dict) else None
    return [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
