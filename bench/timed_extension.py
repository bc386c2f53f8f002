"""A copy of the extension that measures itself: every callback goes through `guard`, so `guard` is where the time is taken."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from bench.world import EXTENSION, NotMeasured

TIMED: Final = Path(__file__).with_name("timed.ts")

_GUARD: Final = "export function guard<T>(site: Site, run: () => T, fallback: T): T {"

_TIMED_GUARD: Final = f"""import {{ timed }} from "./timed.ts";

export function guard<T>(site: Site, run: () => T, fallback: T): T {{
  return timed(site, () => untimed(site, run, fallback));
}}

{_GUARD.replace("export function guard", "function untimed")}"""


def timed_extension(folder: Path, source: Path = EXTENSION.parent) -> Path:
    """Copies the extension to `folder`, which must not exist, and gives the copy's entry file. `guard` in it never throws, as before.

    Raises:
        NotMeasured: `guard` is not written as it was, so it is unknown what would be measured.
    """
    shutil.copytree(source, folder)
    shutil.copy(TIMED, folder)
    file = folder / "guard.ts"
    code = file.read_text()
    if code.count(_GUARD) != 1:
        raise NotMeasured("guard.ts of the extension does not declare `guard` as bench/timed_extension.py knows it")
    file.write_text(code.replace(_GUARD, _TIMED_GUARD))
    return folder / EXTENSION.name
