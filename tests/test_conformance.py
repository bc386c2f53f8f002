"""Promise: each page that says how a contract is kept names tests that exist, and leaves out no section of the contract."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.conformance import REASONS, ROOT, Row, exists, rows

PAGES: Final = sorted((ROOT / "docs").glob("*-conformance.md"))

SECTIONS: Final = {
    "ui-conformance.md": (
        "Status",
        "Core rule",
        "Design goals",
        "Non-goals",
        "Surface model",
        "Presentation",
        "Blocks",
        "Text spans",
        "Blocking prompts",
        "Activity lists",
        "Fallback",
        "Surface identity and updates",
        "Blocking prompts: lifecycle",
        "Persistent widget surfaces",
        "Fire-and-forget notifications",
        "Editor handoffs",
        "Timeline rendering",
        "Error and fallback lifecycle",
        "Relation to Pi TUI lifecycle",
        "Managed Oppi runtime",
        "Mirrored terminal runtime",
        "Runtime support table",
        "Native-renderable Pi TUI components",
        "Widget placement and collapsed budget",
        "Mapping from Pi extension APIs",
        "Working indicator and status rules",
        "Mapping from Pi TUI components",
        "Inline composer card",
        "Sheet",
        "Full-screen flow",
        "Extension widget strips",
        "Timeline row",
        "Modality and focus",
        "Accessibility and comfort",
        "Trust and provenance",
        "App Review posture",
        "Response and event model",
        "Terminal fallback behavior",
        "Compatibility levels",
        "Capability negotiation",
        "Replay and reconnect",
        "Payload limits",
        "Safety and links",
        "Authoring API",
        "Test matrix",
        "Recommended rollout and complexity budget",
        "Examples",
        "Implementation requirements",
        "Acceptance criteria",
    ),
    "chat-conformance.md": (
        "Native chat views",
        "Workspace contribution",
        "Snapshot and stream handoff",
        "Actions and durable drafts",
        "Trusted host features",
        "Delivery order",
        "Pending queued input",
    ),
}
"""The contract's headings, by page. Two that the contract has under the same name are told apart, and its two examples are one."""


def test_there_are_pages_and_each_has_its_sections_here() -> None:
    assert {page.name for page in PAGES} == set(SECTIONS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_row_names_tests_that_exist_or_says_why_there_are_none(page: Path) -> None:
    faults = [f"{page.name}:{row.line}: {fault}" for row in rows(page.read_text()) if (fault := row.fault()) is not None]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_section_of_the_contract_has_a_row_and_no_other_has_one(page: Path) -> None:
    found = list(dict.fromkeys(row.section for row in rows(page.read_text())))
    assert found == list(SECTIONS[page.name])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_requirement_stands_twice_in_a_section(page: Path) -> None:
    seen = [(row.section, row.required) for row in rows(page.read_text())]
    assert len(set(seen)) == len(seen)


HERE: Final = "`tests/test_conformance.py::test_a_row_that_shows_something_has_no_fault`"


def web(title: str, file: str = "ambient.test.ts") -> str:
    return f"web: mirrord/web/test/core/{file} \u203a {title}"


def row(shown_by: str, binds: str = "daemon, client") -> Row:
    (one,) = rows(
        f"# Page\n\n## A section\n\n| what is required | binds | shown by |\n|---|---|---|\n| It holds | {binds} | {shown_by} |\n"
    )
    return one


@pytest.mark.parametrize(
    "shown_by",
    [
        HERE,
        f"{HERE}<br>{HERE}",
        f"{HERE} (fixture identity)<br>{HERE} (fixtures patches, notices)",
        *(f"{reason}there is no such thing here." for reason in REASONS),
    ],
)
def test_a_row_that_shows_something_has_no_fault(shown_by: str) -> None:
    assert row(shown_by).section == "A section"
    assert row(shown_by).fault() is None


@pytest.mark.parametrize(
    ("shown_by", "fault"),
    [
        ("", "neither a test nor a reason"),
        ("Somebody has looked at it.", "neither a test nor a reason"),
        ("Deferred: later.", "reason is none"),
        (HERE.replace("has_no_fault", "has_faults"), "no test"),
        (f"{HERE} `tests/test_nowhere.py::test_it`", "no test"),
        ("`make test`", "no test"),
        (f"{HERE} (in the terminal; the page follows)", "beside its tests: (in the terminal; the page follows)"),
        (f"{HERE}<br>and by hand", "beside its tests: and by hand"),
        (f"{HERE} (fixtures identity, none)", "no fixture none"),
    ],
)
def test_a_row_without_a_test_that_exists_has_a_fault(shown_by: str, fault: str) -> None:
    assert fault in (row(shown_by).fault() or "")


def test_a_row_binds_somebody_who_is_known() -> None:
    assert "binds" in (row(HERE, "everybody").fault() or "")
    assert row(HERE, "all").fault() is None


def test_a_row_that_has_lost_a_column_is_a_fault() -> None:
    (one,) = rows("## A section\n| It holds |\n")
    assert one.fault() is not None


@pytest.mark.parametrize(
    "test",
    [
        "tests/core/test_strips.py::test_the_rules",
        "tests/core/test_race_model.py::TestRace",
        web("a widget that is replaced keeps its place among the others"),
        web("setWidget is shown, is replaced, and its clear leaves nothing of it"),
        web("setTitle is shown, is replaced, and its clear leaves nothing of it"),
    ],
)
def test_a_test_is_known_by_its_name_and_a_title_with_whatever_it_is_filled(test: str) -> None:
    assert exists(test)


@pytest.mark.parametrize(
    "test",
    [
        "tests/core/test_strips.py::the_rules",
        "tests/core/test_strips.py::test_the",
        "tests/core/test_strips.py",
        "mirrord/core/strips.py::strips",
        web("a widget that is replaced"),
        web(" is shown, is replaced, and its clear leaves nothing of it"),
        web("a widget that is replaced keeps its place among the others", "none.test.ts"),
    ],
)
def test_what_is_no_test_is_none(test: str) -> None:
    assert not exists(test)
