"""The states of the page in which extensions show something besides prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from playwright.sync_api import Locator, expect

from mirrord.wire import messages as wire
from mirrord.wire.surfaces import CustomView, Indicator, WorkingRow
from tests.web import panels
from tests.web.card import Card
from tests.web.scripted import Told
from tests.web.states import MINUTE, SECOND, Act, Show, State, asked, listed, neighbours, serve, session

STATUSES: Final = (
    wire.StatusEntry("jobs", "3 queued", "planner"),
    wire.StatusEntry("branch", "main ✓"),
    wire.StatusEntry("cost", "$1.28 today, of $5.00", "meter"),
)
ABOVE: Final = (panels.JOBS, panels.GARDEN, panels.BOARD)
BELOW: Final = (panels.NOTES, panels.CLOCK)
MATCH: Final = "A dialog of tic-tac-toe"
FORM: Final = "A dialog of checklist"
AT_TERMINAL: Final = "This dialog can only be used at the terminal."


def pill(show: Show, label: str) -> Locator:
    """The pill with that label."""
    return show.page.locator(".strip").get_by_role("button").filter(has_text=label)


def open_pill(show: Show, label: str) -> Locator:
    """Opens its drawer."""
    one = pill(show, label)
    press(show, one)
    expect(one).to_have_attribute("aria-expanded", "true")
    drawer = show.page.locator(f"[id='{one.get_attribute('aria-controls')}']")
    expect(drawer).to_be_visible()
    return drawer


def press(show: Show, target: Locator) -> None:
    """As that device does it."""
    if show.tab.size.is_phone:
        target.tap()
    else:
        target.click()


def in_session(state: wire.State = "idle", act: Act = lambda show: None, *, age: int = 4 * MINUTE, **more: Any) -> Act:
    """A session that shows this; `more` is of `Told`."""

    def bring(show: Show) -> None:
        serve(show, Told(session(show.daemon.now(), 1, state, age=age), **more), *neighbours(show))
        show.open(f"#session={show.daemon.sessions[0].session.session_id}")
        listed(show.page)
        act(show)

    return bring


def dialog(title: str, view: Callable[[str], CustomView], act: Act = lambda show: None, *, cancellable: bool = False) -> Act:
    """A dialog of an extension's own, with what it draws."""

    def bring(show: Show) -> None:
        prompt = asked(show, "custom", title, source=title.rpartition(" ")[2], terminal_only=AT_TERMINAL, cancellable=cancellable)
        told = Told(session(show.daemon.now(), 1, "waiting", age=8 * SECOND), (prompt,), views=(view(prompt.id),))
        serve(show, told, *neighbours(show))
        show.open(f"#session={prompt.session_id}")
        Card(show.page, title).shown()
        act(show)

    return bring


def opened(*labels: str) -> Act:
    """These pills are open."""

    def act(show: Show) -> None:
        for label in labels:
            open_pill(show, label)

    return act


def scrolled(label: str, to: str) -> Act:
    """A drawer, scrolled to where that stands."""

    def act(show: Show) -> None:
        open_pill(show, label).get_by_text(to).first.scroll_into_view_if_needed()

    return act


def full(label: str) -> Act:
    """A drawer over the whole screen."""

    def act(show: Show) -> None:
        press(show, open_pill(show, label).get_by_role("button", name="Open full screen"))
        expect(show.page.get_by_role("dialog")).to_be_visible()

    return act


def whole(title: str) -> Act:
    """The card of a dialog over the whole screen."""

    def act(show: Show) -> None:
        Card(show.page, title).open()

    return act


def region(name: str) -> Act:
    """Header or footer, opened."""

    def act(show: Show) -> None:
        press(show, show.page.get_by_role("region", name=name).get_by_role("button"))
        expect(show.page.get_by_role("region", name=name).get_by_role("group").first).to_be_visible()

    return act


def handed(*texts: wire.ExtensionUINotification) -> Act:
    """An extension hands texts over."""

    def act(show: Show) -> None:
        show.daemon.say(*texts)
        expect(show.page.get_by_role("region", name="Text from").first).to_be_visible()

    return act


def text_of(source: str | None, text: str, *, paste: bool = False) -> wire.ExtensionUINotification:
    """A hand-off to the first session."""
    return wire.ExtensionUINotification(
        session(0).session_id, "set_editor_text", handoff_id=f"{source}-{len(text)}", text=text, paste=paste, source=source
    )


def asked_too(act: Act) -> Act:
    """The panels, with a question that waits, and then that."""

    def bring(show: Show) -> None:
        first = asked(show, "confirm", "Delete 14 branches that are merged?", message="They are gone from origin too.")
        told = Told(session(show.daemon.now(), 1, "waiting", age=8 * SECOND), (first,), STATUSES, (*ABOVE, *BELOW))
        serve(show, told, *neighbours(show))
        show.open(f"#session={first.session_id}")
        show.card()
        act(show)

    return bring


PANELS: Final[Mapping[str, Any]] = {"statuses": STATUSES, "surfaces": (*ABOVE, *BELOW)}
MESSAGE: Final = "Plant the tulips in the north bed, 20 cm apart.\nStart with the species that flower first.\n"

SURFACE_STATES: Final = (
    State("strips", in_session(**PANELS)),
    State("strips-one", in_session(statuses=STATUSES[1:2])),
    State("strips-question", asked_too(lambda show: None)),
    State("drawer-activity", in_session(act=opened("Jobs"), **PANELS)),
    State("drawer-blocks", in_session(act=opened("Garden"), **PANELS)),
    State("drawer-blocks-end", in_session(act=scrolled("Garden", "160 of 500 rows"), **PANELS)),
    State("drawer-terminal", in_session(act=opened("board"), **PANELS)),
    State("drawer-lines", in_session(act=opened("notes"), **PANELS)),
    State("drawer-status", in_session(act=opened("$1.28"), **PANELS)),
    State("drawer-both", in_session(act=opened("Jobs", "clock"), **PANELS)),
    State("drawer-question", asked_too(opened("Jobs"))),
    State("drawer-full", in_session(act=full("Garden"), **PANELS)),
    State("drawer-full-terminal", in_session(act=full("board"), **PANELS)),
    State(
        "working-frames",
        in_session("working", age=12 * SECOND, row=WorkingRow(True, "Checking files…", Indicator(("·", "•", "●", "•"), 120)), **PANELS),
    ),
    State("working-usual", in_session("working", age=12 * SECOND, statuses=STATUSES)),
    State("regions", in_session(header=panels.HEADER, footer=panels.FOOTER, title="π garden — tulips", **PANELS)),
    State("regions-header", in_session(act=region("Header"), header=panels.HEADER, footer=panels.FOOTER)),
    State("regions-footer", in_session(act=region("Footer"), header=panels.HEADER, footer=panels.FOOTER)),
    State("view-inline", dialog(MATCH, panels.tic_tac_toe)),
    State("view-inline-full", dialog(MATCH, panels.tic_tac_toe, whole(MATCH))),
    State("view-overlay", dialog(FORM, panels.form, cancellable=True)),
    State("view-overlay-full", dialog(FORM, panels.form, whole(FORM), cancellable=True)),
    State("view-hidden", dialog(FORM, lambda prompt: CustomView(prompt, overlay=True, typing=True, source="checklist"))),
    State("handoff", in_session(act=handed(text_of("planner", MESSAGE)), **PANELS)),
    State("handoff-two", in_session(act=handed(text_of("planner", MESSAGE * 400), text_of(None, "src/garden.py", paste=True)))),
)
