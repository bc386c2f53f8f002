"""Promise: what README.md and CHANGELOG.md say can be done as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

from mirrord.cli import VERBS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()


def test_every_link_to_a_file_leads_to_one() -> None:
    links = [link for text in (README, CHANGELOG) for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def code_in(text: str) -> str:
    """What stands in backticks or is indented by four, a piece a line; pictures and output in fences are neither."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return "\n".join(piece.strip("` ") for piece in re.findall(r"`[^`\n]+`|^    .+$", prose, re.MULTILINE))


def test_every_command_exists() -> None:
    named = set(re.findall(r"^mirrord ([a-z]+(?:-[a-z]+)*)", code_in(README + CHANGELOG), re.MULTILINE))
    assert named >= {"pi", "attach", "status", "pair", "extension", "demo", "schema"}
    assert named <= set(VERBS)


def test_every_make_goal_exists() -> None:
    goals = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"^make ([a-z]+)", code_in(README), re.MULTILINE))
    assert {"run", "test", "demo"} <= named <= goals


def test_it_opens_with_three_sentences_and_a_picture() -> None:
    _, opening, picture, *_ = README.split("\n\n")
    assert len(re.findall(r"[.](?=\s|$)", opening)) == 3
    assert picture.startswith("```")


def test_the_changelog_has_the_form_it_names() -> None:
    assert re.search(r"^## \[Unreleased\]$", CHANGELOG, re.MULTILINE)
    assert set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE)) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
