"""Our one line in Pi's `settings.json`: put in, taken out, looked for. Everything else in the file stays as it is.

The file belongs to the person and to Pi. It is changed under Pi's own lock, by replacing it whole, through a symbolic
link where it is one, and only when we understand it; otherwise the person is told the line to add by hand.
"""

from __future__ import annotations

import codecs
import json
import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.atomic import replace_file
from bridge.json_edit import NotEditable, add_item, items, remove_items
from bridge.pause import pause_thread
from bridge.pi_lock import pi_lock
from bridge.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bridge.pause import Pause

_LIST: Final = "extensions"
_PATTERN_SIGNS: Final = "*?"
"""Pi reads an entry with one of these as a pattern of paths."""

_DIRECTORY_MODE: Final = 0o700
"""Of Pi's directory when we are the first to need it: credentials of model providers will be in it."""


class Entry(Enum):
    """How our line stands in the settings."""

    INSTALLED = "installed"
    OUTDATED = "outdated"
    """Another file in our data directory is listed: an older mirrord wrote it, and `install` mends it."""
    ABSENT = "absent"


class SettingsRefused(Refusal):
    """The file cannot be read, understood or written, and was not changed."""

    def __init__(self, settings: Path, reason: str, by_hand: str) -> None:
        super().__init__(f"{settings} was not changed ({reason}); {by_hand}")


class SettingsUnclear(Refusal):
    """The file cannot be read or understood, so it is not known what Pi loads. Nobody wanted to change it."""

    def __init__(self, settings: Path, cannot: str, reason: str) -> None:
        super().__init__(f"{settings} cannot be {cannot} ({reason}); mend it")


class EntryNotUsable(Refusal):
    """Pi would not find our file at this path."""

    def __init__(self, entry: Path, reason: str) -> None:
        super().__init__(f"Pi cannot load {str(entry)!r} ({reason}); set XDG_DATA_HOME to another path")


def settings_path(env: Mapping[str, str], home: Path) -> Path:
    """Pi's settings file: in `$PI_CODING_AGENT_DIR`, where `~` is `home`, or else in `~/.pi/agent`."""
    directory = env.get("PI_CODING_AGENT_DIR")
    if not directory:
        return home / ".pi" / "agent" / "settings.json"
    if directory == "~" or directory.startswith("~/"):
        directory = f"{home}{directory[1:]}"
    return Path(directory, "settings.json")


def status(settings: Path, entry: Path, data_dir: Path) -> Entry:
    """Whether Pi loads `entry` from its settings. Raises `SettingsUnclear` when the file cannot be read or understood."""
    try:
        text = _read(settings)[1]
        listed = items(text, _LIST) if text else []
    except OSError as error:
        raise SettingsUnclear(settings, "read", _reason(error)) from error
    except NotEditable as error:
        raise SettingsUnclear(settings, "understood", _reason(error)) from error
    if any(_is_older(item, entry, data_dir, settings) for item in listed):
        return Entry.OUTDATED
    return Entry.INSTALLED if str(entry) in listed else Entry.ABSENT


def install(settings: Path, entry: Path, data_dir: Path, pause: Pause = pause_thread) -> bool:
    """Make Pi load `entry` in every session from now on; False when it does already. Raises a `Refusal`.

    Entries that point to other files in `data_dir` are replaced. A file that does not exist is made.
    """
    _check_usable(entry)

    def edit(text: str) -> str:
        text = text or "{}\n"
        if str(entry) not in items(text, _LIST):
            text = add_item(text, _LIST, str(entry))
        return remove_items(text, _LIST, lambda item: _is_older(item, entry, data_dir, settings))

    return _change(settings, edit, _add_by_hand(entry), pause)


def uninstall(settings: Path, entry: Path, data_dir: Path, pause: Pause = pause_thread) -> bool:
    """Take `entry`, and entries that point to other files in `data_dir`, out; False when none is there."""

    def edit(text: str) -> str:
        if not text:
            return text
        return remove_items(text, _LIST, lambda item: item == str(entry) or _is_older(item, entry, data_dir, settings))

    if not settings.parent.is_dir():
        return False
    return _change(settings, edit, f'remove {_quoted(entry)} from its "{_LIST}" by hand', pause)


def _check_usable(entry: Path) -> None:
    text = str(entry)
    if any(sign in text for sign in _PATTERN_SIGNS):
        raise EntryNotUsable(entry, "it takes a path with * or ? for a pattern")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise EntryNotUsable(entry, "its path is not UTF-8") from error


def _change(settings: Path, edit: Callable[[str], str], by_hand: str, pause: Pause) -> bool:
    try:
        settings.parent.mkdir(_DIRECTORY_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsRefused(settings, _reason(error), by_hand) from error
    with pi_lock(settings, pause) as check:
        try:
            mark, text = _read(settings)
            changed = edit(text)
        except (OSError, NotEditable) as error:
            raise SettingsRefused(settings, _reason(error), by_hand) from error
        if changed == text:
            return False
        target = Path(os.path.realpath(settings))
        if target.exists() and not os.access(target, os.W_OK):
            raise SettingsRefused(settings, "it is read-only", by_hand)
        check()
        try:
            replace_file(target, mark + changed.encode())
        except OSError as error:
            raise SettingsRefused(settings, _reason(error), by_hand) from error
    return True


def _read(settings: Path) -> tuple[bytes, str]:
    """The file's byte order mark, if it has one, and its text; both empty when there is no file. Raises OSError and NotEditable."""
    try:
        raw = settings.read_bytes()
    except FileNotFoundError:
        return b"", ""
    mark = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    try:
        return mark, raw.removeprefix(mark).decode()
    except UnicodeDecodeError as error:
        raise NotEditable(f"byte {error.start} is not UTF-8") from error


def _reason(error: OSError | NotEditable) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _is_older(item: object, entry: Path, data_dir: Path, settings: Path) -> bool:
    """Whether it is a path into our data directory, read as Pi reads it, and not `entry` itself."""
    if not isinstance(item, str) or item == str(entry):
        return False
    path = os.path.normpath(os.path.join(settings.parent, os.path.expanduser(item)))
    return Path(path).is_relative_to(data_dir)


def _add_by_hand(entry: Path) -> str:
    return f'add this to it by hand: "{_LIST}": [{_quoted(entry)}]'


def _quoted(entry: Path) -> str:
    return json.dumps(str(entry), ensure_ascii=False)
