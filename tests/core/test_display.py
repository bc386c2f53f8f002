"""Promise: what Pi shows besides prompts is kept, replaced, cleared and told once to everybody who may see it, also to who comes later."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.limits import KIB, STATUSES, WIDGETS
from mirrord.core import events, shown
from mirrord.core.display import Display
from mirrord.core.model import Drawing, Handoff, LinkId, Prompt, PromptId
from mirrord.core.session import NOTICES
from mirrord.server.frames import encode
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from mirrord.wire.limits import OUTBOX_BYTES
from mirrord.wire.roles import Role
from mirrord.wire.surface_limits import HANDOFF_INLINE_BYTES, HANDOFFS, NOTES_AT_ONCE, SURFACES_BYTES
from mirrord.wire.surfaces import CustomView, Indicator, Pill, Strips, Surface, WorkingRow
from tests.core.drawings import Screenful, drawing
from tests.core.playbook import PI, Playbook, terminal

PLAIN = WorkingRow(True)


@pytest.fixture
def play() -> Playbook:
    """A session, and one client that follows it."""
    play = Playbook()
    play.attach()
    play.connect(1, capabilities=SERVER_CAPABILITIES)
    return play


def tell(play: Playbook, kind: type[shown.Shown], **fields: Any) -> None:
    play.feed(kind(at=play.at, link=play.link, **fields))
    play.passes(200)


def widget(play: Playbook, key: str, drawn: Drawing | None, placement: str = "aboveEditor", why: str | None = None) -> None:
    tell(play, shown.WidgetSet, key=key, placement=placement, drawing=drawn, why=why)


def custom(play: Playbook, id_: str = "p1") -> None:
    play.opens(Prompt(id=PromptId(id_), method="custom", title="A dialog", opened_at=1, cancellable=False))


def view(play: Playbook, text: str, *, typing: bool = False, id_: str = "p1") -> None:
    tell(play, shown.ViewDrawn, prompt=PromptId(id_), drawing=drawing(text), overlay=False, typing=typing)


def told(play: Playbook, client: int = 1) -> list[wire.ExtensionUINotification]:
    return play.got(client, wire.ExtensionUINotification)


def late(play: Playbook, client: int = 9, **more: Any) -> wire.Snapshot:
    """The snapshot of a client that comes now."""
    play.connect(client, capabilities=SERVER_CAPABILITIES, **more)
    return play.got(client, wire.Snapshot)[-1]


# ---- each thing, its clear, and who comes later ----------------------------------------------------------------------

X = drawing("x", source="planner")
SAYINGS: list[
    tuple[type[shown.Shown], dict[str, Any], dict[str, Any], wire.NotificationMethod, dict[str, Any], dict[str, Any], str, Any, Any]
] = [
    (
        shown.StatusSet,
        {"key": "job", "text": "building", "source": "planner"},
        {"key": "job", "text": None},
        "setStatus",
        {"status_key": "job", "status_text": "building", "source": "planner"},
        {"status_key": "job", "status_text": None},
        "statuses",
        (wire.StatusEntry("job", "building", "planner"),),
        (),
    ),
    (shown.TitleSet, {"title": "tulips"}, {"title": None}, "setTitle", {"title": "tulips"}, {"title": None}, "title", "tulips", None),
    (
        shown.WidgetSet,
        {"key": "jobs", "placement": "belowEditor", "drawing": X},
        {"key": "jobs", "placement": "belowEditor", "drawing": None},
        "setWidget",
        {"widget_key": "jobs", "widget_placement": "belowEditor", "widget_lines": ("x",), "native_surface": X.native, "source": "planner"},
        {"widget_key": "jobs", "widget_placement": "belowEditor", "widget_lines": None, "native_surface": None},
        "surfaces",
        (Surface("jobs", "belowEditor", ("x",), X.native, "planner"),),
        (),
    ),
    (
        shown.RegionSet,
        {"name": "header", "drawing": X},
        {"name": "header", "drawing": None},
        "setHeader",
        {"widget_lines": ("x",), "native_surface": X.native, "source": "planner"},
        {"widget_lines": None, "native_surface": None},
        "header",
        Surface("header", "aboveEditor", ("x",), X.native, "planner"),
        None,
    ),
    (
        shown.RegionSet,
        {"name": "footer", "drawing": X},
        {"name": "footer", "drawing": None},
        "setFooter",
        {"widget_lines": ("x",), "native_surface": X.native},
        {"widget_lines": None},
        "footer",
        Surface("footer", "belowEditor", ("x",), X.native, "planner"),
        None,
    ),
    (
        shown.WorkingRowSet,
        {"row": WorkingRow(True, "Checking…")},
        {"row": PLAIN},
        "setWorkingMessage",
        {"message": "Checking…"},
        {"message": None},
        "working_row",
        WorkingRow(True, "Checking…"),
        PLAIN,
    ),
    (
        shown.WorkingRowSet,
        {"row": WorkingRow(False)},
        {"row": PLAIN},
        "setWorkingVisible",
        {"working_visible": False},
        {"working_visible": True},
        "working_row",
        WorkingRow(False),
        PLAIN,
    ),
    (
        shown.WorkingRowSet,
        {"row": WorkingRow(True, None, Indicator(()))},
        {"row": PLAIN},
        "setWorkingIndicator",
        {"working_indicator": Indicator(())},
        {"working_indicator": None},
        "working_row",
        WorkingRow(True, None, Indicator(())),
        PLAIN,
    ),
    (
        shown.ThinkingLabelSet,
        {"label": "Pondering…"},
        {"label": None},
        "setHiddenThinkingLabel",
        {"hidden_thinking_label": "Pondering…"},
        {"hidden_thinking_label": None},
        "hidden_thinking_label",
        "Pondering…",
        None,
    ),
    (
        shown.ToolsExpandedSet,
        {"expanded": True},
        {"expanded": False},
        "setToolsExpanded",
        {"tools_expanded": True},
        {"tools_expanded": False},
        "tools_expanded",
        True,
        False,
    ),
]


@pytest.mark.parametrize(
    ("kind", "set_", "clear", "method", "says", "clears", "field", "value", "nothing"),
    SAYINGS,
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_a_thing_is_told_kept_and_cleared(
    play: Playbook,
    kind: type[shown.Shown],
    set_: dict[str, Any],
    clear: dict[str, Any],
    method: str,
    says: dict[str, Any],
    clears: dict[str, Any],
    field: str,
    value: object,
    nothing: object,
) -> None:
    for fields, expected, kept in ((set_, says, value), (set_, None, value), (clear, clears, nothing), (clear, None, nothing)):
        before = len(told(play))
        tell(play, kind, **fields)
        new = told(play)[before:]
        if expected is None:
            assert new == [], "what is told twice is sent once"
        else:
            assert [message.method for message in new] == [method]
            assert {name: getattr(new[0], name) for name in expected} == expected
        assert getattr(late(play), field) == kept
        play.leaves(9)


def test_what_was_shown_before_anybody_came_is_there_after(play: Playbook) -> None:
    widget(play, "jobs", drawing("a", heading="Jobs · 2"))
    tell(play, shown.StatusSet, key="jobs", text="40 %")
    snapshot = late(play)
    assert [surface.key for surface in snapshot.surfaces] == ["jobs"]
    assert snapshot.strips == Strips(above=(Pill("widget:jobs", "widget", "jobs", "Jobs · 2", "40 %"),))
    assert snapshot.working_row == PLAIN


def test_strips_are_told_when_they_change_and_only_then(play: Playbook) -> None:
    widget(play, "jobs", drawing("a"))
    widget(play, "jobs", drawing("b"))
    widget(play, "jobs", drawing("b", heading="Jobs"))
    widget(play, "jobs", None)
    labels = [[pill.label for pill in strips.above] for strips in play.got(1, wire.ExtensionUIStrips)]
    assert labels == [["jobs"], ["Jobs"], []]


def test_a_widget_that_moves_is_one_widget(play: Playbook) -> None:
    widget(play, "jobs", drawing("a"))
    widget(play, "jobs", drawing("a"), "belowEditor")
    assert [(surface.key, surface.placement) for surface in late(play).surfaces] == [("jobs", "belowEditor")]


@pytest.mark.parametrize(("count", "kind"), [(WIDGETS, "widget"), (STATUSES, "status")])
def test_of_too_many_the_one_untouched_for_longest_gives_way_and_is_counted(play: Playbook, count: int, kind: str) -> None:
    def touch(key: str, text: str) -> None:
        if kind == "widget":
            widget(play, key, drawing(text))
        else:
            tell(play, shown.StatusSet, key=key, text=text)

    for number in range(count):
        touch(f"k{number}", "x")
    assert play.core.given_way == 0
    touch("k0", "x")
    touch("new", "x")
    assert play.core.given_way == 1
    snapshot = late(play)
    kept = [entry.key for entry in (snapshot.surfaces if kind == "widget" else snapshot.statuses)]
    assert kept == ["k0", *(f"k{number}" for number in range(2, count)), "new"], "in the order they were set"
    gone = [message for message in told(play) if message.widget_lines is None and message.status_text is None]
    assert [message.widget_key or message.status_key for message in gone] == ["k1"]


# ---- bounds ----------------------------------------------------------------------------------------------------------


def test_surfaces_that_do_not_fit_beside_the_others_show_their_heading(play: Playbook) -> None:
    large = drawing("x" * 60 * KIB, heading="Large")
    count = SURFACES_BYTES // large.size
    for number in range(count + 2):
        widget(play, f"k{number}", large)
    surfaces = late(play).surfaces
    assert [bool(surface.native_surface and surface.native_surface.blocks) for surface in surfaces] == [True] * count + [False] * 2
    last = surfaces[-1]
    assert last.native_surface is not None
    assert last.native_surface.presentation.title == "Large"
    assert last.widget_lines == ("Large",)
    assert last.truncated == (wire.Truncation("nativeSurface", 0, large.size),)
    play.leaves(9)
    widget(play, "k0", None)
    widget(play, f"k{count + 1}", large)
    assert late(play).surfaces[-1].truncated == ()


def test_a_snapshot_of_all_that_can_be_shown_fits_what_may_wait_for_a_client(play: Playbook) -> None:
    for number in range(WIDGETS):
        widget(play, f"k{number}", drawing("x" * 60 * KIB))
        tell(play, shown.StatusSet, key=f"{number}".ljust(80, "k"), text="é" * 160)
    for name in ("header", "footer"):
        tell(play, shown.RegionSet, name=name, drawing=drawing("x" * 60 * KIB))
    assert len(encode(late(play))) < OUTBOX_BYTES / 2


# ---- views -----------------------------------------------------------------------------------------------------------


def test_a_view_lives_as_long_as_its_prompt(play: Playbook) -> None:
    view(play, "too early")
    assert late(play).views == ()
    play.leaves(9)
    custom(play)
    view(play, "score 3")
    assert late(play).views == (CustomView("p1", False, False, ("score 3",), drawing("score 3").native),)
    play.leaves(9)
    play.settles("p1")
    assert late(play).views == ()
    frame, over = (message for message in told(play) if message.request_id == "p1")
    assert (frame.widget_lines, over.widget_lines, over.typing) == (("score 3",), None, None)


def test_the_last_frame_goes_out_before_the_settlement_however_fast_it_came(play: Playbook) -> None:
    custom(play)
    for number in range(9):
        play.feed(
            shown.ViewDrawn(at=play.at, link=play.link, prompt=PromptId("p1"), drawing=drawing(f"{number}"), overlay=False, typing=False)
        )
    play.settles("p1")
    seen = [message for message in play.inbox[1] if isinstance(message, wire.ExtensionUINotification | wire.ExtensionUISettled)]
    lines = [message.widget_lines if isinstance(message, wire.ExtensionUINotification) else "settled" for message in seen]
    assert lines[-2:] == [("8",), "settled"]
    play.waits()
    assert told(play)[-1].widget_lines is None


@pytest.mark.parametrize("role", [Role.CONTROLLER, Role.OWNER])
def test_what_somebody_types_is_seen_by_who_could_answer(play: Playbook, role: Role) -> None:
    play.connect(2, role=role, capabilities=SERVER_CAPABILITIES)
    custom(play)
    view(play, "hunter2", typing=True)
    assert told(play, 2)[-1].widget_lines == ("hunter2",)
    assert late(play, role=role).views[0].widget_lines == ("hunter2",)


def test_an_observer_sees_nothing_of_what_is_typed_not_even_how_often(play: Playbook) -> None:
    play.connect(2, role=Role.OBSERVER, capabilities=SERVER_CAPABILITIES)
    play.connect(3, role=Role.OBSERVER)
    custom(play)
    view(play, "menu")
    for typed in ("", "h", "hu", "hun"):
        view(play, typed, typing=True)
    views = [message for message in told(play, 2) if message.request_id == "p1"]
    assert [(message.widget_lines, message.typing) for message in views] == [(("menu",), False), (None, True)]
    assert all(message.native_surface is None for message in views[1:])
    assert [message.widget_key for message in told(play, 3)].count("view:p1") == 2
    assert late(play, role=Role.OBSERVER).views == (CustomView("p1", False, True),)
    assert "hun" not in str([encode(message) for client in (2, 3, 9) for message in play.inbox[client]])


def test_what_is_typed_is_in_no_journal_and_is_there_all_the_same_for_who_comes_back(play: Playbook) -> None:
    custom(play)
    view(play, "menu")
    cursor = told(play)[-1].cursor
    view(play, "hunter2", typing=True)
    assert told(play)[-1].cursor is None
    play.connect(2, capabilities=SERVER_CAPABILITIES, since=cursor)
    assert [message.widget_lines for message in told(play, 2)] == [("hunter2",)]
    play.connect(3, role=Role.OBSERVER, capabilities=SERVER_CAPABILITIES, since=cursor)
    assert [(message.widget_lines, message.typing) for message in told(play, 3)] == [(None, True)]
    view(play, "menu again")
    play.connect(4, capabilities=SERVER_CAPABILITIES, since=cursor)
    assert [message.widget_lines for message in told(play, 4)] == [("menu again",)]


# ---- hand-offs and notifications -------------------------------------------------------------------------------------


def test_a_text_is_handed_over_once_and_never_replayed(play: Playbook) -> None:
    cursor = play.got(1, wire.Snapshot)[0].cursor
    tell(play, shown.EditorTextHanded, handoff=Handoff("h1", "Plant\x1b\n", False, "planner"))
    (message,) = told(play)
    assert (message.method, message.handoff_id, message.text, message.paste, message.source, message.cursor) == (
        "set_editor_text",
        "h1",
        "Plant\x1b\n",
        False,
        "planner",
        None,
    )
    play.connect(2, capabilities=SERVER_CAPABILITIES, since=cursor)
    late(play)
    assert not told(play, 2) + told(play, 9)


def test_who_only_looks_is_handed_no_text(play: Playbook) -> None:
    play.connect(2, role=Role.OBSERVER, capabilities=SERVER_CAPABILITIES)
    tell(play, shown.EditorTextHanded, handoff=Handoff("h1", "x" * HANDOFF_INLINE_BYTES * 2, False))
    assert [message.handoff_id for message in told(play)] == ["h1"]
    play.says(2, wire.Command(request_id="f", name="handoff", args={"sessionId": PI, "id": "h1", "part": 0}))
    error = play.got(2, wire.CommandResult)[-1].error
    assert (told(play, 2), error.code if error else None) == ([], "forbidden")


def test_a_long_text_is_fetched_in_pieces(play: Playbook) -> None:
    tell(play, shown.EditorTextHanded, handoff=Handoff("at", "x" * HANDOFF_INLINE_BYTES, True))
    assert told(play)[-1].text == "x" * HANDOFF_INLINE_BYTES
    text = "é" * (HANDOFF_INLINE_BYTES * 3)
    tell(play, shown.EditorTextHanded, handoff=Handoff("long", text, True))
    message = told(play)[-1]
    assert (message.text, message.paste) == (None, True)
    assert message.text_parts == 3
    pieces = [fetch(play, "long", part) for part in range(3)]
    assert "".join(piece["text"] for piece in pieces) == text
    assert {piece["parts"] for piece in pieces} == {3}
    for id_, part in (("long", 3), ("long", -1), ("at", 0), ("never", 0)):
        assert fetch(play, id_, part) is None
    for number in range(HANDOFFS):
        tell(play, shown.EditorTextHanded, handoff=Handoff(f"more{number}", text, True))
    assert fetch(play, "long", 0) is None
    play.says(1, wire.Command(request_id="n", name="handoff", args={"sessionId": "no such", "id": "x", "part": 0}))
    assert play.got(1, wire.CommandResult)[-1].error == wire.CommandError("unknown_session", "There is no such session.")


def fetch(play: Playbook, id_: str, part: int) -> Any:
    play.says(1, wire.Command(request_id="f", name="handoff", args={"sessionId": PI, "id": id_, "part": part}))
    return play.got(1, wire.CommandResult)[-1].data


def test_of_texts_that_come_too_fast_the_last_one_set_arrives_and_pastes_are_bounded(play: Playbook) -> None:
    for number in range(1_000):
        for paste in (False, True):
            handoff = Handoff(f"{number}{paste}", f"{number}", paste)
            play.feed(shown.EditorTextHanded(at=play.at, link=play.link, handoff=handoff))
    play.waits()
    assert [message.text for message in told(play) if not message.paste][-1] == "999"
    assert NOTES_AT_ONCE <= sum(message.paste is True for message in told(play)) <= 40


def test_notifications_that_come_too_fast_are_dropped_and_counted_and_prompts_pass_them(play: Playbook) -> None:
    for number in range(10_000):
        play.feed(shown.Notified(at=play.at, link=play.link, message=f"{number}", level=None))
    custom(play)
    assert isinstance(play.inbox[1][-2], wire.ExtensionUIRequest)
    play.waits()
    assert [note.message for note in told(play)][-1] == "9999", "the newest arrives"
    assert len(told(play)) + play.core.notifications_dropped == 10_000
    assert len(told(play)) <= 140
    play.leaves(1)
    assert play.core.notifications_dropped > 9_800


def test_why_a_widget_is_not_native_is_among_the_notices_for_as_long_as_that_is_so(play: Playbook) -> None:
    def notices() -> tuple[str, ...]:
        return play.core.sessions()[0].notices

    widget(play, "jobs", drawing("x"), why="jobs threw")
    widget(play, "plan", drawing("x"), why="plan gave a promise")
    assert notices() == ("jobs threw", "plan gave a promise")
    assert play.got(1, wire.SessionChanged)[-1].session.notices == notices()
    widget(play, "jobs", drawing("x"))
    assert notices() == ("plan gave a promise",)
    widget(play, "plan", None)
    assert notices() == ()
    for number in range(NOTICES + 1):
        widget(play, f"w{number}", drawing("x"), why=str(number))
    assert notices() == tuple(str(number) for number in range(NOTICES))
    relink(play)
    play.feed(events.ResyncEnded(at=play.at, link=play.link))
    assert notices() == ()


# ---- resync and end --------------------------------------------------------------------------------------------------


def everything(play: Playbook) -> None:
    widget(play, "jobs", drawing("a"))
    tell(play, shown.StatusSet, key="job", text="x")
    tell(play, shown.TitleSet, title="t")
    for name in ("header", "footer"):
        tell(play, shown.RegionSet, name=name, drawing=drawing(name))
    tell(play, shown.WorkingRowSet, row=WorkingRow(False, "m", Indicator(("·",))))
    tell(play, shown.ThinkingLabelSet, label="l")
    tell(play, shown.ToolsExpandedSet, expanded=True)
    custom(play)
    view(play, "v")


def relink(play: Playbook) -> None:
    play.loses_link()
    play.link = LinkId(play.link + 1)
    play.feed(events.TerminalLinked(at=play.at, link=play.link, terminal=terminal()))
    play.feed(events.ResyncBegan(at=play.at, link=play.link))


def test_a_resync_that_tells_the_same_again_is_not_seen(play: Playbook) -> None:
    everything(play)
    before, count = late(play), len(play.inbox[1])
    relink(play)
    everything(play)
    play.feed(events.ResyncEnded(at=play.at, link=play.link))
    play.waits()
    assert [type(message) for message in play.inbox[1][count:] if not isinstance(message, wire.SessionChanged)] == []
    assert late(play, client=10).surfaces == before.surfaces


def test_what_a_resync_does_not_tell_again_is_cleared_and_nothing_else(play: Playbook) -> None:
    everything(play)
    count = len(told(play))
    relink(play)
    widget(play, "jobs", drawing("a"))
    custom(play)
    play.feed(events.ResyncEnded(at=play.at, link=play.link))
    play.waits()
    assert {message.method for message in told(play)[count:]} == {
        "setStatus",
        "setTitle",
        "setHeader",
        "setFooter",
        "setWorkingMessage",
        "setWorkingVisible",
        "setWorkingIndicator",
        "setHiddenThinkingLabel",
        "setToolsExpanded",
        "setCustomView",
    }
    screen = Screenful()
    for message in play.inbox[1]:
        screen.take(message)
    assert (set(screen.surfaces), screen.prompts, screen.views, screen.row) == ({"jobs"}, {"p1"}, {}, PLAIN)


def test_a_session_that_is_over_shows_nothing(play: Playbook) -> None:
    everything(play)
    play.feed(events.TerminalBye(at=play.at, link=play.link, reason="quit"))
    play.waits()
    screen = Screenful()
    for message in play.inbox[1]:
        screen.take(message)
    assert screen.shown() == Screenful().shown()
    snapshot = late(play)
    assert (snapshot.surfaces, snapshot.header, snapshot.footer, snapshot.views, snapshot.statuses) == ((), None, None, (), ())
    assert snapshot.strips == Strips()


def test_a_lost_link_changes_nothing_of_what_is_shown(play: Playbook) -> None:
    everything(play)
    before = late(play)
    play.loses_link(alive=True)
    after = late(play, client=10)
    assert (after.surfaces, after.views, after.statuses, after.working_row) == (
        before.surfaces,
        before.views,
        before.statuses,
        before.working_row,
    )


def test_who_unsubscribed_gets_nothing_that_was_held(play: Playbook) -> None:
    for number in range(50):
        play.feed(shown.StatusSet(at=play.at, link=play.link, key="job", text=f"{number}"))
    play.says(1, wire.Unsubscribe(session_id=PI))
    count = len(told(play))
    play.waits()
    assert len(told(play)) == count


def test_an_unknown_event_is_a_mistake_of_ours(play: Playbook) -> None:
    with pytest.raises(TypeError, match="unknown event Shown"):
        Display(PI).show(shown.Shown(at=play.at, link=play.link), frozenset())
