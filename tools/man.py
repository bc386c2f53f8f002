"""Make the manual pages in man/ from what the program goes by, so that the two cannot differ.

python tools/man.py            writes them, and removes those that are no longer made
python tools/man.py --check    exit status 1 when one is not current
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from tools.manual import commands, protocol, settings

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "man"
PROTOCOL = ROOT / "docs" / "protocol.md"


def pages() -> Mapping[str, str]:
    """Every page by its file's name."""
    return {
        **dict(commands.pages()),
        "mirrord.toml.5": settings.page(),
        "mirrord-protocol.7": protocol.page(PROTOCOL.read_text("utf-8")),
    }


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    made = pages()
    there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.[1-9]")}
    differing = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    if arguments == ["--check"]:
        if differing:
            print(f"not current: {', '.join(f'man/{name}' for name in differing)}; run: python tools/man.py", file=sys.stderr)
        return 1 if differing else 0
    FOLDER.mkdir(exist_ok=True)
    for name in differing:
        if name in made:
            (FOLDER / name).write_text(made[name], "utf-8")
        else:
            (FOLDER / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
