"""Promise: every link in our pages leads somewhere, every page can be found from the index, and every command that a page names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mirrord.cli import VERBS

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*.md")])
USERS = [ROOT / "docs" / f"{name}.md" for name in ("first-use", "phone", "service", "configuration", "troubleshooting", "debugging")]


def prose(page: Path) -> str:
    """The page without what is in fences."""
    return re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What can stand behind the # of a link to it, as hosts of repositories make it from headings."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_to_a_heading_in_it(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    links = [*re.findall(r"\]\(([^)\s]+)\)", text), *re.findall(r'src="([^"]+)"', text)]
    dead = []
    for link in links:
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if "://" not in link and (not target.exists() or (anchor and anchor not in anchors(target))):
            dead.append(link)
    assert dead == []


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    listed = set(re.findall(r"\]\(([^)#]+)\)", index))
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"} <= listed


@pytest.mark.parametrize("page", [*USERS, ROOT / "SECURITY.md"], ids=lambda page: page.name)
def test_every_command_that_a_page_for_users_names_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    blocks = "\n".join(re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    code = re.findall(r"^mirrord ([a-z]+(?:-[a-z]+)*)", blocks, re.MULTILINE) + re.findall(r"`mirrord ([a-z]+(?:-[a-z]+)*)", prose(page))
    assert set(code) <= set(VERBS)
    assert code or page.name in ("phone.md",)
