"""Promise: a client gets what it claims to understand, and text that it can show instead of anything else."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mirrord.core.levels import TYPING, project
from mirrord.core.model import Client, ClientId
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import OSC8_LINKS, PROMPT_NATIVE, SURFACE_NATIVE, TEXT_FALLBACK
from mirrord.wire.roles import Role
from mirrord.wire.surfaces import ActivityRow, Block, CustomView, NativeSurface, Presentation, Strips, Surface, TextSpan, WorkingRow

LINK = "https://garden.example/"
LINKED = TextSpan("plan", "accent", ("underline",), LINK)
PLAIN = TextSpan("plan", "accent", ("underline",))
ROW = ActivityRow("a", "Ask Bea", link="oppi://session/s1")
CUT = (wire.Truncation("nativeSurface.rows", 1, 2),)


def native(span: TextSpan) -> NativeSurface:
    inner = (Block("text", spans=(span,)), Block("terminal", lines=((span,), ())), Block("activityList", rows=(ROW,)))
    return NativeSurface(1, "widget:x", "widget", Presentation("surfacePanel", "X"), (*inner, Block("section", blocks=inner)))


def client(*capabilities: str, role: Role = Role.CONTROLLER) -> Client:
    return Client(ClientId(1), "phone", "phone", role, "phone", frozenset(capabilities))


ALL = client(TEXT_FALLBACK, PROMPT_NATIVE, SURFACE_NATIVE, OSC8_LINKS)
WITHOUT_LINKS = client(PROMPT_NATIVE, SURFACE_NATIVE)
PROMPTS = client(PROMPT_NATIVE)
TEXT = client(TEXT_FALLBACK)
OBSERVER = client(PROMPT_NATIVE, SURFACE_NATIVE, OSC8_LINKS, role=Role.OBSERVER)
TEXT_OBSERVER = client(TEXT_FALLBACK, role=Role.OBSERVER)


def drawn(method: wire.NotificationMethod, span: TextSpan | None = LINKED, **more: Any) -> wire.ExtensionUINotification:
    shown = {"widget_lines": ("plan",), "native_surface": native(span) if span is not None else None, "truncated": CUT} | more
    return wire.ExtensionUINotification(session_id="s", method=method, source="planner", cursor="run1:7", **shown)


def as_widget(key: str, placement: str, lines: tuple[str, ...] | None = ("plan",)) -> wire.ExtensionUINotification:
    truncated = CUT if lines is not None else ()
    return drawn("setWidget", None, widget_key=key, widget_placement=placement, widget_lines=lines, truncated=truncated)


WIDGET: dict[str, Any] = {"widget_key": "x", "widget_placement": "belowEditor"}
VIEW: dict[str, Any] = {"request_id": "p1", "overlay": False, "typing": False}


@pytest.mark.parametrize(
    ("who", "message", "gets"),
    [
        pytest.param(ALL, drawn("setWidget", **WIDGET), drawn("setWidget", **WIDGET), id="all of it"),
        pytest.param(
            WITHOUT_LINKS, drawn("setWidget", **WIDGET), drawn("setWidget", PLAIN, **WIDGET), id="spans without links, rows with theirs"
        ),
        pytest.param(PROMPTS, drawn("setWidget", **WIDGET), as_widget("x", "belowEditor"), id="the lines of a widget"),
        pytest.param(TEXT, drawn("setHeader"), as_widget("region:header", "aboveEditor"), id="a header is a widget above"),
        pytest.param(TEXT, drawn("setFooter"), as_widget("region:footer", "belowEditor"), id="a footer is a widget below"),
        pytest.param(TEXT, drawn("setCustomView", **VIEW), as_widget("view:p1", "aboveEditor"), id="a view is a widget above"),
    ],
)
def test_a_surface_comes_in_the_form_that_the_client_claims(
    who: Client, message: wire.ExtensionUINotification, gets: wire.ExtensionUINotification
) -> None:
    assert project(message, who) == (gets,)


@pytest.mark.parametrize("method", ["setHeader", "setFooter", "setCustomView"])
def test_a_clear_clears_the_widget_that_stood_for_it(method: wire.NotificationMethod) -> None:
    message = wire.ExtensionUINotification(
        session_id="s", method=method, request_id="p1" if method == "setCustomView" else None, cursor="c"
    )
    (cleared,) = project(message, TEXT)
    assert isinstance(cleared, wire.ExtensionUINotification)
    assert (cleared.method, cleared.widget_lines, cleared.cursor) == ("setWidget", None, "c")
    assert cleared.widget_key in ("region:header", "region:footer", "view:p1")


def test_an_observer_that_reads_text_is_told_that_somebody_may_be_typing() -> None:
    hint = wire.ExtensionUINotification(session_id="s", method="setCustomView", request_id="p1", overlay=False, typing=True)
    (told,) = project(hint, TEXT_OBSERVER)
    assert isinstance(told, wire.ExtensionUINotification)
    assert told.widget_lines == (TYPING,)


@pytest.mark.parametrize(
    "message",
    [
        wire.ExtensionUINotification(session_id="s", method="notify", message="hi"),
        wire.ExtensionUINotification(session_id="s", method="setWorkingMessage", message="hi"),
        wire.ExtensionUIStrips(session_id="s", above=(), below=()),
        wire.Gap(session_id="s", since="c"),
    ],
)
def test_what_everybody_understands_is_the_same_for_all(message: wire.ServerMessage) -> None:
    for who in (ALL, WITHOUT_LINKS, PROMPTS, TEXT, OBSERVER):
        assert project(message, who) == (message,)


def snapshot() -> wire.Snapshot:
    session = wire.Session("s", "c", "/", wire.Status("idle", "pi", 1), 0)
    return wire.Snapshot(
        session_id="s",
        cursor="run1:7",
        session=session,
        prompts=(),
        statuses=(),
        title=None,
        working=wire.Working(False, 1),
        surfaces=(Surface("x", "aboveEditor", ("plan",), native(LINKED), "planner", CUT),),
        header=Surface("header", "aboveEditor", ("plan",), native(LINKED), "planner", CUT),
        footer=Surface("footer", "aboveEditor", ("plan",), native(LINKED), "planner", CUT),
        views=(
            CustomView("p1", False, False, ("plan",), native(LINKED), "planner", CUT),
            CustomView("p2", True, True, ("hunter2",), native(TextSpan("hunter2")), "notes"),
        ),
        strips=Strips(),
        working_row=WorkingRow(True),
    )


def test_a_snapshot_is_whole_for_who_claims_everything() -> None:
    assert project(snapshot(), ALL) == (snapshot(),)


def test_a_snapshot_without_links_has_everything_else() -> None:
    (shown,) = project(snapshot(), WITHOUT_LINKS)
    assert isinstance(shown, wire.Snapshot)
    holders = (*shown.surfaces, shown.header, shown.footer, shown.views[0])
    assert all(holder is not None and holder.native_surface == native(PLAIN) for holder in holders)
    assert shown.views[1] == snapshot().views[1]


def test_a_snapshot_as_text_has_every_surface_as_a_widget() -> None:
    for who in (PROMPTS, TEXT):
        (shown,) = project(snapshot(), who)
        assert isinstance(shown, wire.Snapshot)
        assert (shown.header, shown.footer, shown.views) == (None, None, ())
        assert all(surface.native_surface is None for surface in shown.surfaces)
        assert [(surface.key, surface.widget_lines) for surface in shown.surfaces] == [
            ("x", ("plan",)),
            ("region:header", ("plan",)),
            ("region:footer", ("plan",)),
            ("view:p1", ("plan",)),
            ("view:p2", ("hunter2",)),
        ]


def test_an_observers_snapshot_holds_nothing_of_what_is_typed() -> None:
    (shown,) = project(snapshot(), OBSERVER)
    assert isinstance(shown, wire.Snapshot)
    assert shown.views == (snapshot().views[0], CustomView("p2", True, True, source="notes"))
    (text,) = project(snapshot(), TEXT_OBSERVER)
    assert isinstance(text, wire.Snapshot)
    assert text.surfaces[-1] == Surface("view:p2", "aboveEditor", (TYPING,), source="notes")
    for message in (shown, text):
        assert b"hunter2" not in msgspec.json.encode(message)
