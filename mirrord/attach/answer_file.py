"""A file whose text answers an editor: read whole and unchanged, or refused with the reason."""

from __future__ import annotations

import stat
from pathlib import Path

import anyio.to_thread

from bridge.limits import CONTENT_BYTES
from mirrord.attach.ask import Explain
from mirrord.client.clean import one_line


async def read_content(path: str) -> str | Explain:
    """What the file holds, byte for byte as UTF-8; `~` stands for the home folder, a relative path begins here."""
    return await anyio.to_thread.run_sync(_read, path)


def _read(path: str) -> str | Explain:
    shown = one_line(path)
    try:
        file = Path(path).expanduser()
        # A pipe or a device would be waited for.
        if not stat.S_ISREG(file.stat().st_mode):
            return Explain(f"{shown} is no file. Nothing was sent.")
        with file.open("rb") as opened:
            content = opened.read(CONTENT_BYTES + 1)
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return Explain(f"{shown} cannot be read ({one_line(reason)}). Nothing was sent.")
    if len(content) > CONTENT_BYTES:
        return Explain(f"{shown} is larger than {CONTENT_BYTES} bytes, which is the most that can be sent. Nothing was sent.")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return Explain(f"{shown} is no UTF-8 text. Nothing was sent.")
