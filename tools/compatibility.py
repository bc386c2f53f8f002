"""What of each Pi can be mirrored, looked at in the running program: docs/compatibility.md, and what it is written from.

    python -m tools.compatibility [VERSION ...]     looks at these versions, or all, and writes both files anew

Each version starts in a terminal with our extension and one that makes every call of tests/e2e/surface_table.py. What is found is kept in
tools/compatibility.json, so that a version can be looked at alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from mirrord.wire import messages as wire
from mirrord.words.capabilities import MEANINGS
from tests.e2e.showing import Showing, comes, kept, play
from tests.e2e.stage import stage
from tests.e2e.surface_table import MEMBERS, PROMPTS, ROWS, Row
from tests.harness.pi import FULLSCREEN, OLD, ROOT, PiKind

PAGE: Final = ROOT / "docs" / "compatibility.md"
FOUND: Final = ROOT / "tools" / "compatibility.json"

_PACKAGE: Final = "node_modules/@earendil-works/pi-coding-agent/dist"
KINDS: Final = (
    PiKind(OLD.name, OLD.version, OLD.entry),
    PiKind("pi-0.80.10", "0.80.10", ROOT / "tools/pi-0.80.10" / _PACKAGE / "cli.js"),
    PiKind("pi-1.0.3", "1.0.3", ROOT / "tools/pi-1.0.3" / _PACKAGE / "bundle/cli.js"),
    PiKind(FULLSCREEN.name, FULLSCREEN.version, FULLSCREEN.entry),
)
"""The oldest and the newest that are tested, and two between them, oldest first."""

ANSWERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "select": {"index": 1},
    "confirm": {"confirmed": True},
    "input": {"value": "text"},
    "editor": {"value": "text"},
    "ask": {"answers": {}},
}
"""How each kind of prompt is answered from afar."""


NONE: Final = "-"


class Found(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What was found in one Pi. Calls and prompts are named as in docs/surfaces.md; those that do not work are listed."""

    version: str
    package: str
    capabilities: tuple[str, ...]
    notices: tuple[str, ...]
    """Sentences about what is missing, hooks among them."""
    new_members: tuple[str, ...]
    missing_members: tuple[str, ...]
    failing_calls: tuple[str, ...]
    failing_prompts: tuple[str, ...]


def look(kind: PiKind) -> Found:
    """Starts this Pi and looks."""
    with stage(kind) as here:
        showing = Showing(here)
        (session,) = [one for one in here.sessions() if one.session_id == here.session_id]
        showing.run("t-members", id="members")
        members = here.log.result("t-members", "members").value
        assert isinstance(members, list)
        return Found(
            version=session.pi_version or "",
            package=_package(kind),
            capabilities=tuple(sorted(session.capabilities)),
            notices=session.notices,
            new_members=tuple(sorted({*members} - MEMBERS)),
            missing_members=tuple(sorted(MEMBERS - {*members})),
            failing_calls=tuple(_name(row) for row in ROWS if not _works(showing, row)),
            failing_prompts=tuple(method for method in PROMPTS if not _is_answered(showing, method)),
        )


def page(found: Sequence[Found]) -> str:
    """docs/compatibility.md as it should be."""
    head = ["", *(one.version for one in found)]
    capabilities = {name: [name in one.capabilities for one in found] for name in MEANINGS}
    others = sorted({name for one in found for name in one.capabilities if name not in MEANINGS})
    return "\n".join(
        [
            _INTRODUCTION,
            _row(head),
            _row(["---"] * len(head)),
            _row(["npm package", *(f"`{one.package}`" for one in found)]),
            *(_row([f"{MEANINGS[name].about} (`{name}`)", *map(_mark, marks)]) for name, marks in capabilities.items()),
            *(_row([f"`{name}`", *("yes" if name in one.capabilities else NONE for one in found)]) for name in others),
            *(_row([f"prompt `{method}`", *(_mark(method not in one.failing_prompts) for one in found)]) for method in PROMPTS),
            *(_row([f"call {_name(row)}", *(_mark(_name(row) not in one.failing_calls) for one in found)]) for row in ROWS),
            _row(["members of `ctx.ui` that we do not know", *(_names(one.new_members) for one in found)]),
            _row(["members that it does not have", *(_names(one.missing_members) for one in found)]),
            _row(["what its extension says is missing", *(" ".join(one.notices) or NONE for one in found)]),
            "",
            _END,
        ]
    )


def recorded() -> tuple[Found, ...]:
    """What was found last, the oldest version first."""
    return msgspec.json.decode(FOUND.read_bytes(), type=tuple[Found, ...])


def _works(showing: Showing, row: Row) -> bool:
    """Whether each call of the row is told and kept."""
    try:
        for step in row.steps:
            showing.stage.pi.settle(0.05)
            showing.phone.forget()
            play(showing, step)
            comes(showing.told, [step.told])
            if row.place:
                comes(lambda step=step: kept(showing.snapshot(), row.place), step.kept)  # type: ignore[misc] # of the step of this turn
    except AssertionError as error:
        print(f"{showing.stage.kind}: {_name(row)}: {error}", file=sys.stderr)
        return False
    finally:
        if row.member in ("setEditorText", "pasteToEditor"):
            showing.stage.pi.keys("ctrl+u")
    return True


def _is_answered(showing: Showing, method: str) -> bool:
    """Whether a prompt of the kind can be answered from afar, and its extension gets that."""
    try:
        showing.phone.forget()
        showing.run(f"t-{method}", id=method)
        request = showing.phone.wait(wire.ExtensionUIRequest, lambda asked: asked.method == method)
        accepted = showing.phone.answer(request.id, **ANSWERS[method]).accepted
        result = showing.stage.log.result(f"t-{method}", method)
    except (AssertionError, TimeoutError) as error:
        print(f"{showing.stage.kind}: {method}: {error}", file=sys.stderr)
        return False
    return accepted and result.outcome == "value"


def _package(kind: PiKind) -> str:
    (folder,) = [parent for parent in kind.entry.parents if parent.name == "pi-coding-agent"]
    return f"{folder.parent.name}/{folder.name}"


def _name(row: Row) -> str:
    return f"`{row.member}`" + (f" of {row.again}" if row.again else "")


def _mark(works: bool) -> str:
    return "yes" if works else "**no**"


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or NONE


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


_INTRODUCTION: Final = """\
# Which Pi can be mirrored

What was found when each version ran in a terminal with our extension. This page is written by `make compatibility`; a test looks again at
the oldest and the newest of them each time. Nothing is concluded from a version: the extension looks at what the Pi at hand has and says
what it can forward; `mirrord status` shows that for every session, and what it means where something is missing.

A version that is not here is treated the same way. A member of `ctx.ui` that mirrord does not know is left as it is, and is told.

Upper rows: what the extension says this Pi can do. `prompt` rows: asked at the terminal and answered from afar. `call` rows: every call of
[surfaces.md](surfaces.md) was made, and told, kept and cleared as it says there.
"""
_END: Final = """\
`dialogs:stack` and `dialogs:slot` say how this Pi keeps dialogs, under each other or one in one place; mirrord works with both.

Pi 1.0.3 asks for a version of `@earendil-works/chord` that npm does not have; it is installed here with an older one, which it does not
load in a terminal.
"""


def main(versions: Sequence[str]) -> int:
    """Exit status 1 when something was looked at that does not work; it is written down all the same."""
    before = {one.version: one for one in (recorded() if FOUND.exists() else ())}
    unknown = {*versions} - {kind.version for kind in KINDS}
    if unknown:
        print(f"There is no Pi {min(unknown)} here; there are {', '.join(kind.version for kind in KINDS)}.", file=sys.stderr)
        return 2
    looked = {kind.version: look(kind) for kind in KINDS if not versions or kind.version in versions}
    found = tuple((before | looked)[kind.version] for kind in KINDS if kind.version in before | looked)
    FOUND.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    PAGE.write_text(page(found))
    print(f"{', '.join(looked)}: looked at, and {PAGE.relative_to(ROOT)} written.")
    return int(any(one.failing_calls or one.failing_prompts for one in looked.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
