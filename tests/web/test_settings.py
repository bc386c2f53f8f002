"""Promise: a choice holds at once and after a reload; the page says whom it shows, calls who looks elsewhere, and arranges push.

The worker is real; of Web Push only the browser's subscription is made up, because a browser without a network has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from mirrord.client import PairingCode
from mirrord.wire import attention
from mirrord.wire import messages as wire
from tests.web.browser import DESKTOP, tab
from tests.web.page_states import PUBLIC_KEY, PUSHES
from tests.web.scripted import ScriptedDaemon, Told
from tests.web.shows import serving, soon
from tests.web.states import Show, asked, neighbours, serve, session
from tests.web.web import accept

OTHER_KEY: Final = "B" + PUBLIC_KEY[1:-2] + "Ag"
P256DH: Final = [4, *range(64)]
AUTH: Final = [*range(16)]
# Lives in the storage of the page, as the browser's own outlives a reload.
_STUB: Final = f"""
(() => {{
  const read = () => JSON.parse(localStorage.getItem("stub.push") ?? "null");
  const of = (kept) => kept && {{
    endpoint: kept.endpoint,
    options: {{ applicationServerKey: Uint8Array.from(kept.key).buffer }},
    getKey: (name) => Uint8Array.from(name === "auth" ? {AUTH} : {P256DH}).buffer,
    unsubscribe: async () => {{ localStorage.removeItem("stub.push"); return true; }},
  }};
  PushManager.prototype.getSubscription = async () => of(read());
  PushManager.prototype.subscribe = async ({{ applicationServerKey, userVisibleOnly }}) => {{
    if (userVisibleOnly !== true) throw new TypeError("not allowed");
    if (read() !== null) throw new DOMException("another key", "InvalidStateError");
    const number = Number(localStorage.getItem("stub.made") ?? 0) + 1;
    localStorage.setItem("stub.made", number);
    const endpoint = "https://push.example/" + number;
    localStorage.setItem("stub.push", JSON.stringify({{ endpoint, key: [...applicationServerKey] }}));
    return of(read());
  }};
}})();
"""
# Before anything is drawn, on a page that has not run its own script yet.
_FIRST_LOOK: Final = """
document.addEventListener("readystatechange", () => {
  window.firstLook ??= `${document.documentElement.dataset.theme} ${document.documentElement.dataset.textSize}`;
});
"""


# Which notifications were asked for: what stands is not told reliably right after.
_RECORD: Final = """() => {
  self.recorded = [];
  self.judged = 0;
  const { matchAll } = Clients.prototype;
  Clients.prototype.matchAll = async function (options) {
    const found = await matchAll.call(this, options);
    self.judged += 1;
    return found;
  };
  const { showNotification } = ServiceWorkerRegistration.prototype;
  ServiceWorkerRegistration.prototype.showNotification = function (title, options) {
    self.recorded.push(options.tag);
    return showNotification.call(this, title, options);
  };
}"""


@pytest.fixture(scope="module")
def shown(browser: Browser) -> Iterator[Show]:
    """A paired page with its worker, two sessions, and a daemon that says what it is told to."""
    with serving() as pages, tab(browser, DESKTOP, offline_shell=True) as one:
        one.context.grant_permissions(["notifications"])
        one.page.add_init_script(_STUB + _FIRST_LOOK)
        one.page.goto(pages.daemon.ask("pair_code", PairingCode, role="controller").url)
        accept(one.page, "desk")
        one.page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        show = Show(one, pages.origin, ScriptedDaemon())
        show.daemon.serve(one.page)
        yield show
        one.assert_clean()


@pytest.fixture
def show(shown: Show) -> Iterator[Show]:
    """The same page as it is at first, on the settings."""
    shown.daemon.push, shown.daemon.notify = PUSHES, attention.NotifySettings()
    serve(shown, Told(session(shown.daemon.now(), 1)), *neighbours(shown))
    shown.open()
    shown.forget()
    shown.daemon.heard.clear()
    shown.open("#settings")
    expect(shown.page.get_by_role("switch", name="A question waits")).to_be_enabled()
    yield shown
    shown.tab.assert_clean()


def ground(page: Page) -> Any:
    return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")


def looking(daemon: ScriptedDaemon) -> list[tuple[str | None, bool]]:
    """What the page said that it shows, in order, and whether it can be seen."""
    return [(message.session_id, message.present) for message in daemon.heard if isinstance(message, wire.Looking)]


def told(daemon: ScriptedDaemon, name: str) -> list[dict[str, Any]]:
    """The arguments of each command of that name."""
    return [dict(message.args) for message in daemon.heard if isinstance(message, wire.Command) and message.name == name]


def call(show: Show, kind: attention.AttentionKind, body: str, place: int = 1) -> wire.Attention:
    """The daemon calls the person to the session at that place."""
    one = show.daemon.sessions[place].session
    made = wire.Attention(session_id=one.session_id, kind=kind, title="work", body=body, at=show.daemon.now())
    show.daemon.say(made)
    return made


def standing(page: Page) -> list[tuple[str, str]]:
    """Tag and body of each notification that the browser shows."""
    script = "async () => (await (await navigator.serviceWorker.ready).getNotifications()).map(({tag, body}) => [tag, body])"
    return [(tag, body) for tag, body in page.evaluate(script)]


def hide(page: Page, *, hidden: bool) -> None:
    """As another tab in front of it would."""
    page.evaluate(
        """(hidden) => {
          Object.defineProperty(document, "visibilityState", {get: () => hidden ? "hidden" : "visible", configurable: true});
          Object.defineProperty(document, "hasFocus", {value: () => !hidden, configurable: true});
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def has_focus(page: Page) -> bool:
    return bool(page.evaluate("document.hasFocus()"))


@contextmanager
def own_focus(show: Show) -> Iterator[tuple[Page, Page]]:
    """A second tab of the same browser, and a page that is not ours; of all of them one has the focus, as a person's would."""
    second, elsewhere = show.tab.context.new_page(), show.tab.context.new_page()
    show.daemon.serve(second)
    second.goto(show.page.url)
    expect(second.get_by_role("switch", name="A question waits")).to_be_enabled()
    tools = [show.tab.context.new_cdp_session(page) for page in (show.page, second, elsewhere)]
    for each in tools:
        each.send("Emulation.setFocusEmulationEnabled", {"enabled": False})
    try:
        yield second, elsewhere
    finally:
        second.close()
        elsewhere.close()
        tools[0].send("Emulation.setFocusEmulationEnabled", {"enabled": True})


def test_a_theme_and_a_size_hold_at_once_and_are_there_before_anything_is_drawn(show: Show) -> None:
    page = show.page
    before = ground(page)
    page.get_by_role("radio", name="Dark").check(force=True)
    assert ground(page) != before
    page.get_by_role("button", name="Larger").click()
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "18.4px"
    assert page.evaluate("document.querySelector('meta[name=theme-color]').content") == "#121316"
    dark = ground(page)
    page.reload()
    expect(page.get_by_role("radio", name="Dark")).to_be_checked()
    assert page.evaluate("firstLook") == "dark 115"
    assert ground(page) == dark
    page.get_by_role("radio", name="System").check(force=True)
    assert ground(page) == before


def test_the_settings_are_for_keyboards_and_screen_readers_too(show: Show) -> None:
    page = show.page
    expect(page.locator(".settings")).to_match_aria_snapshot("""
      - region "Appearance":
        - group "Theme":
          - radio "System" [checked]
          - radio "Light"
          - radio "Dark"
          - radio "High contrast"
        - group "Text size":
          - button "Smaller" [disabled]
          - status: 100 %
          - button "Larger"
      - region "Sounds":
        - switch "Sound"
      - region "Notifications":
        - text: /Allowed in this browser/
        - 'button "Try it: show a notification"'
        - switch "While this page is closed"
        - switch "A question waits" [checked]
        - switch "It is your turn" [checked]
        - switch "A turn failed" [checked]
        - switch "Show titles"
    """)
    page.get_by_role("radio", name="System").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Light")).to_be_checked()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.labels?.[0]?.textContent") == "It is your turn":
            break
    page.keyboard.press("Space")
    expect(page.get_by_role("switch", name="It is your turn")).not_to_be_checked()
    assert told(show.daemon, "notify_set") == [{"kind": "yourTurn", "on": False}]


def test_the_daemon_is_told_which_session_somebody_looks_at_and_when_nobody_does(show: Show) -> None:
    page, one, other = show.page, *(told.session.session_id for told in show.daemon.sessions[:2])
    assert looking(show.daemon) == [(None, True)]
    page.evaluate("(id) => { location.hash = `session=${id}`; }", one)
    page.evaluate("(id) => { location.hash = `session=${id}&details`; }", one)
    page.evaluate("(id) => { location.hash = `session=${id}`; }", other)
    expect(page.get_by_role("heading", level=1, name="dotfiles")).to_be_visible()
    hide(page, hidden=True)
    hide(page, hidden=False)
    assert looking(show.daemon) == [(None, True), (one, True), (other, True), (None, False), (other, True)]
    show.daemon.heard.clear()
    show.daemon.cut()
    # The new connection is told as well.
    soon(page, lambda: looking(show.daemon) == [(other, True)])


def test_who_is_elsewhere_on_the_page_has_a_toast_that_leads_there_and_who_is_there_has_none(show: Show) -> None:
    page = show.page
    toasts = page.get_by_role("log", name="Notifications")
    made = call(show, "yourTurn", "Your turn")
    expect(toasts).to_contain_text("Your turn")
    expect(page).to_have_title("Your turn · mirrord")
    call(show, "failed", "The turn failed")
    expect(toasts).to_contain_text("The turn failed")
    expect(toasts.get_by_role("link")).to_have_count(1)
    toasts.get_by_role("link").click()
    assert page.evaluate("location.hash") == f"#session={made.session_id}"
    expect(page).to_have_title("mirrord")
    call(show, "yourTurn", "Your turn")
    page.evaluate("location.hash = 'settings'")
    expect(page.get_by_role("heading", level=1, name="Settings")).to_be_visible()
    expect(toasts.get_by_role("link")).to_have_count(0)
    assert standing(page) == []


def test_a_hidden_page_shows_one_notification_a_session_and_takes_it_away_when_somebody_is_back(show: Show) -> None:
    page = show.page
    hide(page, hidden=True)
    made = call(show, "waiting", "A question waits")
    soon(page, lambda: standing(page) == [(made.session_id, "A question waits")])
    call(show, "over", "Answered at the terminal")
    soon(page, lambda: standing(page) == [(made.session_id, "Answered at the terminal")])
    hide(page, hidden=False)
    page.evaluate("(id) => { location.hash = `session=${id}`; }", made.session_id)
    soon(page, lambda: standing(page) == [])


def test_who_is_at_one_tab_is_not_called_by_another_one(show: Show) -> None:
    first = show.page
    with own_focus(show) as (second, elsewhere):
        for page in (second, first):
            page.bring_to_front()
            soon(page, partial(has_focus, page))
        (worker,) = show.tab.context.service_workers
        worker.evaluate(_RECORD)
        call(show, "waiting", "A question waits", place=0)
        expect(first.get_by_role("log", name="Notifications")).to_contain_text("A question waits")
        # The hidden tab's call has reached the worker too, while somebody was at the other one.
        soon(first, lambda: worker.evaluate("self.judged > 0"))
        elsewhere.bring_to_front()
        soon(first, lambda: not has_focus(first))
        made = call(show, "failed", "The turn failed", place=1)
        soon(first, lambda: worker.evaluate("self.recorded.length > 0"))
        assert set(worker.evaluate("self.recorded")) == {made.session_id}


def test_push_is_arranged_again_when_its_key_changes_and_ended_when_nobody_wants_it(show: Show) -> None:
    page = show.page
    closed = page.get_by_role("switch", name="While this page is closed")
    closed.click()
    expect(page.get_by_text("On, by Web Push")).to_be_visible()
    (first,) = told(show.daemon, "push_subscribe")
    assert first["endpoint"].startswith("https://push.example/")
    assert (len(first["p256dh"]), len(first["auth"])) == (87, 22)
    # Another connection: said again, the same one.
    page.reload()
    expect(page.get_by_text("On, by Web Push")).to_be_visible()
    assert told(show.daemon, "push_subscribe")[-1] == first
    # Another key, as of a daemon whose folder was lost.
    show.daemon.push = attention.PushInfo(available=True, public_key=OTHER_KEY)
    page.reload()
    expect(page.get_by_text("On, by Web Push")).to_be_visible()
    assert told(show.daemon, "push_subscribe")[-1]["endpoint"] != first["endpoint"]
    closed.click()
    expect(page.get_by_text("On, by Web Push")).to_have_count(0)
    assert told(show.daemon, "push_unsubscribe") == [{}]
    assert page.evaluate("localStorage.getItem('stub.push')") is None


def test_push_is_ended_also_while_the_daemon_is_away(show: Show) -> None:
    page = show.page
    closed = page.get_by_role("switch", name="While this page is closed")
    closed.click()
    expect(page.get_by_text("On, by Web Push")).to_be_visible()
    away = True
    page.route_web_socket("**/v1/pair", lambda socket: socket.close() if away else socket.connect_to_server())
    show.daemon.cut()
    expect(page.get_by_role("switch", name="A question waits")).to_be_disabled()
    closed.click()
    soon(page, lambda: page.evaluate("localStorage.getItem('stub.push')") is None)
    away = False
    expect(page.get_by_role("switch", name="A question waits")).to_be_enabled()
    expect(closed).not_to_be_checked()


def test_sessions_that_have_ended_leave_room_to_follow_one_that_comes(show: Show) -> None:
    now = show.daemon.now()
    many = [session(now, number) for number in range(100, 164)]

    def follows(one: wire.Session) -> bool:
        return any(isinstance(message, wire.Subscribe) and message.session_id == one.session_id for message in show.daemon.heard)

    show.daemon.say(*(wire.SessionChanged("added", one) for one in many))
    soon(show.page, lambda: sum(map(follows, many)) > len(many) // 2)
    over = (msgspec.structs.replace(one, status=wire.Status("ended", "pi", now)) for one in many)
    show.daemon.say(*(wire.SessionChanged("changed", one) for one in over))
    new = session(now, 200)
    show.daemon.say(wire.SessionChanged("added", new))
    soon(show.page, lambda: follows(new))


def test_a_session_of_its_own_mind_is_told_so_and_goes_back_to_the_default(show: Show) -> None:
    page, one = show.page, show.daemon.sessions[0].session.session_id
    page.evaluate("(id) => { location.hash = `session=${id}&details`; }", one)
    mine = page.get_by_role("combobox", name="A question waits")
    mine.select_option("off")
    expect(mine).to_have_value("off")
    mine.select_option("")
    expect(mine).to_have_value("")
    assert told(show.daemon, "notify_set") == [
        {"kind": "waiting", "on": False, "sessionId": one},
        {"kind": "waiting", "on": None, "sessionId": one},
    ]


def test_the_focus_comes_back_from_a_window_and_escape_closes_one_at_a_time(show: Show) -> None:
    page, one = show.page, show.daemon.sessions[0].session.session_id
    page.evaluate("(id) => { location.hash = `session=${id}`; }", one)
    page.get_by_role("button", name="About this session").focus()
    page.keyboard.press("?")
    keys, details = page.get_by_role("dialog", name="Keys"), page.get_by_role("dialog", name="About this session")
    expect(keys).to_be_visible()
    page.evaluate("(id) => { location.hash = `session=${id}&details`; }", one)
    expect(keys.get_by_text("1 more waits")).to_be_visible()
    expect(details).to_be_hidden()
    page.keyboard.press("Escape")
    expect(details).to_be_visible()
    expect(keys).to_have_count(0)
    page.keyboard.press("Escape")
    expect(details).to_have_count(0)
    expect(page.get_by_role("button", name="About this session")).to_be_focused()


def test_a_report_has_the_facts_and_nothing_that_anybody_wrote(show: Show) -> None:
    page = show.page
    one = msgspec.structs.replace(show.daemon.sessions[0].session, first_message="SECRET WORDS", extension_version="0.9.1")
    serve(show, Told(one, title="SECRET TITLE"), *neighbours(show))
    show.open(f"#session={one.session_id}&details")
    expect(page.get_by_role("dialog").get_by_text("SECRET TITLE")).to_be_visible()
    last = page.get_by_role("dialog").locator("dt", has_text="Last event").locator("xpath=following-sibling::dd")
    expect(last).to_have_text("Before this page came")
    show.daemon.say(wire.ExtensionUINotification(one.session_id, "notify", message="SECRET NOTICE", cursor=show.daemon.cursor()))
    expect(page.get_by_role("dialog").get_by_text("SECRET NOTICE")).to_be_visible()
    expect(last).to_have_text(re.compile(r"\d.*:\d.*, (now|\d+ s ago)$"))
    page.get_by_text("Show the text").click()
    text = page.locator("pre").inner_text()
    for fact in ("Pi: 1.6.0", "Extension: 0.9.1", "Folder: /home/ada/work/store", "State: Connected"):
        assert fact in text
    assert re.search(r"^Last event: .*\d.*, (now|\d+ s ago)$", text, re.MULTILINE)
    assert "SECRET" not in text
    assert one.name is not None
    assert one.name not in text


def test_forgetting_takes_texts_and_names_and_leaves_choices_and_the_pairing(show: Show) -> None:
    page = show.page
    prompt = asked(show, "input", "Name of the release branch")
    serve(show, Told(session(show.daemon.now(), 1, "waiting"), (prompt,)), *neighbours(show))
    show.open(f"#session={prompt.session_id}")
    show.card().type("release/2026-12")
    page.evaluate("location.hash = 'settings'")
    page.get_by_role("radio", name="Light").check(force=True)
    page.get_by_role("button", name="Forget what this browser keeps").click()
    with page.expect_navigation():
        page.get_by_role("dialog").get_by_role("button", name="Forget", exact=True).click()
    expect(page.get_by_role("radio", name="Light")).to_be_checked()
    kept = page.evaluate("JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])")
    assert "release/2026-12" not in kept
