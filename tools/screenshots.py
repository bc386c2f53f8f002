"""Pictures of every state of the web client, on a phone and a desktop, light and dark, into .cache/screenshots.

    python -m tools.screenshots [WORD ...]       only states whose names hold one of the words

The page is real and served by the daemon; what it shows is scripted (tests/web/gallery.py), so that two runs show the same.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from playwright.sync_api import Error

from tests.harness.pi import ROOT
from tests.web.browser import SIZES, Scheme, chromium
from tests.web.gallery import ALL
from tests.web.shows import serving

FOLDER: Final = ROOT / ".cache" / "screenshots"
SCHEMES: Final[Sequence[Scheme]] = ("light", "dark")
# As dense as the screens that people hold.
SCALE: Final = 2


def main(words: Sequence[str]) -> int:
    """The number of states that could not be shown."""
    states = [state for state in ALL if not words or any(word in state.name for word in words)]
    failed = 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    with chromium() as browser, serving() as pages:
        for size in SIZES:
            for scheme in SCHEMES:
                with pages.shows(browser, size, scheme, SCALE) as shows:
                    for state in states:
                        file = FOLDER / f"{state}-{size}-{scheme}.png"
                        try:
                            show = shows.show(state)
                        except (AssertionError, Error) as error:
                            failed += 1
                            print(f"{file.name} could not be taken: {error}", file=sys.stderr)
                            continue
                        show.page.screenshot(path=file, animations="disabled", caret="hide")
    print(f"{len(states) * len(SIZES) * len(SCHEMES) - failed} pictures in {FOLDER}")
    return failed


if __name__ == "__main__":
    sys.exit(min(1, main(sys.argv[1:])))
