"""Which value each setting has, and why: flag over environment over file over default. Pure but for reading the file."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from bridge.privacy import is_switched_off
from mirrord.config.document import Document, DocumentNotUsable, read_document
from mirrord.config.keys import EXTENSION_KEYS, KEYS, Key
from mirrord.config.kinds import Program, Value
from sanitize import label

Source = Literal["flag", "environment", "file", "default", "safe"]
"""`safe`: the file cannot be used, and this is what holds until it can."""

SHOWN_CLUSTERS: Final = 60
"""Of a name or value that somebody wrote, in a sentence about it."""

_LONG: Final = 10**SHOWN_CLUSTERS
"""Python writes out no number of more than some thousand digits."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the file or the environment that does not count. `sentence` begins with where it is."""

    key: str | None
    """The setting, None when it is about the whole file or about no setting at all."""
    sentence: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting's value and where it is from; `where` is the flag, the variable, or the file's line."""

    key: Key
    value: Value
    source: Source
    where: str | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """All settings, by name, and what is wrong."""

    file: Path
    settings: Mapping[str, Setting]
    problems: tuple[Problem, ...]
    usable: bool = True
    """Whether the file could be read, or is not there."""

    def __getitem__(self, name: str) -> Value:
        """The value of a setting."""
        return self.settings[name].value


def read_config(file: Path, env: Mapping[str, str], flags: Mapping[str, Value] | None = None) -> Config:
    """All settings. `flags` has those that the command line gave, by name. Never raises: what is wrong is in `problems`."""
    try:
        document, broken = read_document(file), None
    except DocumentNotUsable as error:
        where = f"{file}:{error.line}" if error.line is not None else str(file)
        document, broken = Document(), Problem(None, f"{where} cannot be used: {error}", error.line)
    return resolve(file, document, env, flags or {}, broken)


def resolve(file: Path, document: Document, env: Mapping[str, str], flags: Mapping[str, Value], broken: Problem | None = None) -> Config:
    """All settings, for a document that was read; `broken` says why there is none. Pure."""
    problems = [broken] if broken is not None else [*_strange(file, document)]
    in_file: dict[str, Setting] = {}
    for key in KEYS.values():
        if key.name in document.values:
            found = _from_file(key, document, file)
            if isinstance(found, Problem):
                problems.append(found)
            else:
                in_file[key.name] = found
    private = broken is not None or any(problem.key in EXTENSION_KEYS for problem in problems)
    settings: dict[str, Setting] = {}
    for key in KEYS.values():
        given = _from_environment(key, env)
        if isinstance(given, Problem):
            problems.append(given)
        if key.name in flags:
            settings[key.name] = Setting(key, flags[key.name], "flag", key.flag)
        elif isinstance(given, Setting):
            settings[key.name] = given
        elif private and key.safe is not None:
            settings[key.name] = Setting(key, key.safe, "safe", str(file))
        else:
            settings[key.name] = in_file.get(key.name) or Setting(key, key.default, "default")
    return Config(file, settings, tuple(problems), broken is None)


def _from_file(key: Key, document: Document, file: Path) -> Setting | Problem:
    line = document.lines.get(key.name)
    where = f"{file}:{line}" if line is not None else str(file)
    try:
        return Setting(key, key.kind.read(document.values[key.name]), "file", where)
    except ValueError:
        return Problem(key.name, f"{where}: {key.name} must be {key.kind.words}, not {_shown(document.values[key.name], key)}", line)


def _from_environment(key: Key, env: Mapping[str, str]) -> Setting | Problem | None:
    text = env.get(key.env, "") if key.env is not None else ""
    if key.name == "mirror":
        # `MIRRORD` can only make a session private; any other word leaves it to the file, in the extension too.
        return Setting(key, False, "environment", key.env) if is_switched_off(env) else None
    if not text.strip():
        return None
    try:
        return Setting(key, key.kind.parse(text), "environment", key.env)
    except ValueError:
        return Problem(key.name, f"{key.env} must be {key.kind.words}; it does not count")


def _strange(file: Path, document: Document) -> Iterator[Problem]:
    """Names in the file that are no settings, each with the one that was probably meant."""
    tables = {name.partition(".")[0] for name in KEYS if "." in name}
    for name, value in document.values.items():
        if name in KEYS:
            continue
        line = document.lines.get(name)
        where = f"{file}:{line}" if line is not None else str(file)
        if name in tables:
            yield Problem(None, f"{where}: {name} must be a table, not {_shown(value)}", line)
            continue
        yield Problem(None, f"{where}: {_cut(name)} is no setting{_hint(name)}", line)


def _hint(name: str) -> str:
    table, _, last = name.partition(".")
    if last in KEYS:
        return f"; {last} belongs above the first [table] of the file"
    near = difflib.get_close_matches(name, KEYS, 1)
    if not near:
        # In a table with a slip in its name, or left out of its table.
        near = [key for key in KEYS if key.rpartition(".")[2] == (last or table)]
    return f"; did you mean {near[0]}?" if near else "; `mirrord config show` lists them all"


def _shown(value: object, key: Key | None = None) -> str:
    """The value as it stands there, but for a command line, which may hold a secret: sentences go into logs."""
    if isinstance(value, str):
        return f'"{_cut(value)}"' if key is not None and not isinstance(key.kind, Program) else "a text"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) >= _LONG:
        return "a number of many digits"
    return _cut(str(value)) if isinstance(value, int | float) else "a list" if isinstance(value, list) else "a value of another kind"


def _cut(text: str) -> str:
    return label(text, SHOWN_CLUSTERS).text
