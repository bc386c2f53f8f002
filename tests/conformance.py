"""Pages that say, requirement for requirement, which test shows that a contract is kept: how they are written, and what their rows name.

A page is `docs/NAME-conformance.md`. Under each `## ` heading stands a table of three columns: what is required, who it binds, and what
shows it. The last holds test ids in code spans, each perhaps with the fixtures that it plays, or a sentence that begins with one of
`REASONS`. Nothing else stands there: what a row says beside its tests nobody would look at again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
FIXTURES: Final = ROOT / "fixtures" / "chat"

BOUND: Final = frozenset(("daemon", "extension", "client", "author", "all"))
"""Who a requirement can bind: `extension` is ours, `author` one who writes another."""

REASONS: Final = ("Cannot apply: ", "Deferred: ", "Not bound: ", "Later: ")
"""Why a row has no test. The contract itself defers, or a session that a terminal owns has no such thing, or nothing here is bound;
or what it is about is not built yet."""
_LEAST_WORDS: Final = 4

_CODE: Final = re.compile(r"`([^`]+)`")
_FIXTURES: Final = re.compile(r"\(fixtures? ([a-z-]+(?:, [a-z-]+)*)\)")
_CELL: Final = re.compile(r"(?<!\\)\|")
_TYPESCRIPT: Final = re.compile(r"(?:web|bridge): (?P<file>\S+\.test\.ts) \u203a (?P<title>.+)")
_TITLES: Final = re.compile(r"""\b(?:test|it|suite|describe)\(\s*(?P<quote>["'`])(?P<title>(?:\\.|(?!(?P=quote)).)*)(?P=quote)""")
_FILLED: Final = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}")
_LEAST_FIXED: Final = 8
"""Characters of a title that are not filled in when it runs; with fewer it would stand for any other."""


@dataclass(frozen=True, slots=True)
class Row:
    """One requirement, and the line of the page that it stands on."""

    line: int
    section: str
    required: str
    binds: str
    shown_by: str

    def tests(self) -> list[str]:
        """The ids that it names."""
        return _CODE.findall(self.shown_by) if self.reason() is None else []

    def reason(self) -> str | None:
        """Why it has no test."""
        return self.shown_by if self.shown_by.startswith(REASONS) else None

    def fault(self) -> str | None:
        """What is wrong with it, in one sentence."""
        if not self.required:
            return "It does not say what is required."
        if not self.binds or not set(self.binds.split(", ")) <= BOUND:
            return f"It binds {self.binds!r}, who is none of {', '.join(sorted(BOUND))}."
        reason = self.reason()
        if reason is not None:
            return None if len(reason.split()) > _LEAST_WORDS else "Its reason is none."
        if not self.tests():
            return "It has neither a test nor a reason."
        beside = _FIXTURES.sub("", _CODE.sub("", self.shown_by)).replace("<br>", "").strip()
        if beside:
            return f"It says something beside its tests: {beside}"
        lost = [one for names in _FIXTURES.findall(self.shown_by) for one in names.split(", ") if not (FIXTURES / f"{one}.jsonl").is_file()]
        if lost:
            return f"There is no fixture {lost[0]}"
        return next((f"There is no test {one}" for one in self.tests() if not exists(one)), None)


def rows(page: str) -> Iterator[Row]:
    """The rows of all tables, without their heads."""
    section = ""
    for line, text in enumerate(page.splitlines(), 1):
        if text.startswith("## "):
            section = text.removeprefix("## ").strip()
        elif text.startswith("|") and not text.startswith("|---") and not text.startswith("| what is required |"):
            cells = [cell.strip() for cell in _CELL.split(text)[1:-1]]
            yield Row(line, section, *(cells if len(cells) == 3 else ["", "", text]))


def exists(test: str) -> bool:
    """Whether there is a test of this id: `tests/FILE.py::[CLASS::]NAME`, or `web:` or `bridge:` with FILE.test.ts, an arrow head (U+203A)
    and a title.

    Of a test that runs with several parameters the id is its name. Of a title that is filled in when it runs any filling will do.
    """
    if match := _TYPESCRIPT.fullmatch(test):
        path = ROOT / match["file"]
        return path.is_file() and any(title.fullmatch(match["title"]) for title in _titles(path))
    file, _, name = test.partition("::")
    path = ROOT / file
    return file.startswith("tests/") and file.endswith(".py") and path.is_file() and name in _names(path)


@cache
def _names(path: Path) -> frozenset[str]:
    """The tests of a Python file, those in classes as `CLASS::NAME`."""

    def within(body: list[ast.stmt], prefix: str) -> Iterator[str]:
        for one in body:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name.startswith("test_"):
                yield prefix + one.name
            elif isinstance(one, ast.ClassDef):
                yield from within(one.body, f"{prefix}{one.name}::")
            elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and one.targets[0].id.startswith("Test"):
                # A state machine of hypothesis: `TestX = Machine.TestCase`.
                yield prefix + one.targets[0].id

    return frozenset(within(ast.parse(path.read_text()).body, ""))


@cache
def _titles(path: Path) -> tuple[re.Pattern[str], ...]:
    """The titles of the tests of a TypeScript file."""
    found: list[re.Pattern[str]] = []
    for match in _TITLES.finditer(path.read_text()):
        title = re.sub(r"\\(.)", r"\1", match["title"])
        fixed = _FILLED.split(title) if match["quote"] == "`" else [title]
        if sum(map(len, fixed)) >= _LEAST_FIXED or len(fixed) == 1:
            found.append(re.compile(".+".join(map(re.escape, fixed))))
    return tuple(found)
