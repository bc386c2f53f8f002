"""States of the page around the conversation: settings, the details of a session, an opening without the daemon, windows that wait."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec
from playwright.sync_api import Page, expect

from mirrord.recording.replay import READ_ONLY
from mirrord.wire import attention
from mirrord.wire import messages as wire
from tests.web.scripted import Told
from tests.web.states import MINUTE, Act, Show, State, asked, listed, neighbours, serve, session

# A point of P-256, as any daemon's.
PUBLIC_KEY: Final = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
PUSHES: Final = attention.PushInfo(available=True, public_key=PUBLIC_KEY)
SKILLS: Final = (
    "prompt:select",
    "prompt:confirm",
    "prompt:input",
    "prompt:editor",
    "prompt:custom",
    "prompt:ask",
    "notify",
    "status",
    "title",
    "widget",
    "widget:component",
    "widget:native",
    "region:header",
    "region:footer",
    "view:custom",
    "working",
    "editor-text",
    "palette",
    "provenance",
    "stop",
    "activity",
    "screen-share",
)
"""Of a Pi of the older generation, which tells no conversation."""


def _stubbed(page: Page, permission: str, *, secure: bool = True, phone: str = "") -> None:
    """A browser that has been asked, or not, as no headless one has; `phone`: what it says it is."""
    page.add_init_script(
        f"Object.defineProperty(Notification, 'permission', {{get: () => '{permission}'}});"
        f"Object.defineProperty(window, 'isSecureContext', {{value: {str(secure).lower()}}});"
        + (f"Object.defineProperty(navigator, 'userAgent', {{value: '{phone}'}});" if phone else "")
    )


def _settings(act: Act = lambda show: None, *, permission: str = "default", **stub: object) -> Act:
    """The settings page of a browser like that."""

    def bring(show: Show) -> None:
        _stubbed(show.page, permission, **stub)  # type: ignore[arg-type] # those of `_stubbed`
        serve(show, *neighbours(show))
        show.open("#settings")
        show.forget()
        show.open("#settings")
        expect(show.page.get_by_role("heading", level=1, name="Settings")).to_be_visible()
        expect(show.page.get_by_role("switch", name="A question waits")).to_be_enabled()
        act(show)

    return bring


def _pushing(act: Act) -> Act:
    def told(show: Show) -> None:
        show.daemon.push = PUSHES
        act(show)

    return told


def _at(heading: str) -> Act:
    """Scrolled so far that this part is at the top."""

    def act(show: Show) -> None:
        part = show.page.get_by_role("heading", level=2, name=heading, exact=True)
        part.evaluate("(part) => { part.style.scrollMarginTop = '4rem'; part.scrollIntoView(); }")

    return act


def _choose(*themes: str) -> Act:
    def act(show: Show) -> None:
        for theme in themes:
            show.page.get_by_role("radio", name=theme).check(force=True)

    return act


def _larger(times: int) -> Act:
    def act(show: Show) -> None:
        for _ in range(times):
            show.page.get_by_role("button", name="Larger").click()

    return act


def _press(name: str, opens: str) -> Act:
    def act(show: Show) -> None:
        show.page.get_by_role("button", name=name).click()
        expect(show.page.get_by_role("dialog", name=opens)).to_be_visible()

    return act


def _then(*acts: Act) -> Act:
    def act(show: Show) -> None:
        for one in acts:
            one(show)

    return act


def _offered(show: Show) -> None:
    """The browser says that it would install the page."""
    show.page.evaluate("dispatchEvent(Object.assign(new Event('beforeinstallprompt'), {prompt: async () => {}}))")
    expect(show.page.get_by_role("button", name="Install")).to_be_visible()
    _at("App")(show)


def _needs(show: Show) -> None:
    show.page.get_by_text("What a phone needs").click()
    _at("App")(show)


# ---- details --------------------------------------------------------------------------------------------------------------


def _details(act: Act = lambda show: None, state: wire.State = "idle", *prompts: str, **more: object) -> Act:
    def bring(show: Show) -> None:
        one = msgspec.structs.replace(
            session(show.daemon.now(), 1, state), **{"extension_version": "0.1.0", "capabilities": SKILLS, **more}
        )
        waiting = tuple(asked(show, "confirm", title) for title in prompts)
        serve(show, Told(one, tuple(msgspec.structs.replace(prompt, session_id=one.session_id) for prompt in waiting)), *neighbours(show))
        show.open(f"#session={one.session_id}&details")
        expect(show.page.get_by_role("dialog", name="About this session")).to_be_visible()
        expect(show.page.get_by_text("Round trip", exact=True)).to_be_visible()
        act(show)

    return bring


def _notified(show: Show) -> None:
    """Something happened since the page was opened."""
    one = show.daemon.sessions[0].session
    for text in ("Tests are green", "The replica lags by 40 s"):
        show.daemon.say(wire.ExtensionUINotification(one.session_id, "notify", message=text, notify_type="info", source="planner"))
    expect(show.page.get_by_role("dialog").get_by_text("The replica lags by 40 s")).to_be_visible()


def _in_details(heading: str) -> Act:
    def act(show: Show) -> None:
        part = show.page.get_by_role("dialog").get_by_role("heading", name=heading)
        part.evaluate("(part) => { part.style.scrollMarginTop = '4rem'; part.scrollIntoView(); }")

    return act


def _differs(show: Show) -> None:
    show.page.get_by_role("combobox", name="It is your turn").select_option("off")
    expect(show.page.get_by_role("combobox", name="It is your turn")).to_have_value("off")
    _in_details("Notifications of this session")(show)


# ---- one window at a time -------------------------------------------------------------------------------------------------


def _second_waits(show: Show) -> None:
    """The keys are open when the address asks for the details."""
    one = session(show.daemon.now(), 1, "idle")
    serve(show, Told(one), *neighbours(show))
    show.open(f"#session={one.session_id}")
    listed(show.page)
    show.page.keyboard.press("?")
    expect(show.page.get_by_role("dialog", name="Keys")).to_be_visible()
    show.page.evaluate("location.hash += '&details'")
    expect(show.page.get_by_role("dialog", name="Keys").get_by_text("1 more waits")).to_be_visible()


def _question_waits(show: Show) -> None:
    """A question comes while somebody reads the details."""
    _details()(show)
    one = show.daemon.sessions[0].session
    prompt = msgspec.structs.replace(asked(show, "confirm", "Publish the notes?"), session_id=one.session_id)
    show.daemon.say(prompt)
    expect(show.page.get_by_role("button", name="1 question waits")).to_be_visible()


# ---- without the daemon ---------------------------------------------------------------------------------------------------


def _away(show: Show) -> None:
    """The page was open once, with a text that was not sent; now nobody answers."""
    now = show.daemon.now()
    first = asked(show, "input", "Name of the release branch")
    serve(show, Told(session(now, 1, "waiting"), (first,)), *neighbours(show), Told(session(now, 6, "idle", age=90 * MINUTE)))
    show.open(f"#session={first.session_id}")
    show.forget()
    show.open(f"#session={first.session_id}")
    show.card().type("release/2026-12")
    show.page.evaluate("location.hash = ''")
    expect(show.page.get_by_role("navigation", name="Sessions").get_by_role("link")).to_have_count(5)
    show.page.route_web_socket("**/v1/*", lambda socket: socket.close(code=1001, reason="the daemon stops"))
    show.page.reload()
    expect(show.page.get_by_role("navigation", name=re.compile("^As it was")).get_by_role("link")).to_have_count(5)
    expect(show.page.get_by_text("A text of yours is kept")).to_be_visible()


LOST: Final = "Some notifications were lost while the daemon did not read. (3)"


def _cut_off(show: Show) -> None:
    """The daemon goes while the settings are open."""
    show.page.route_web_socket("**/v1/*", lambda socket: socket.close(code=1001, reason="the daemon stops"))
    show.daemon.cut()
    expect(show.page.get_by_text("they can be changed when it is connected")).to_be_visible()
    _at("Notifications")(show)


def _called(show: Show) -> None:
    """Sessions call a person who is at another one."""
    one = session(show.daemon.now(), 1)
    serve(show, Told(one), *neighbours(show))
    show.open(f"#session={one.session_id}")
    listed(show.page)
    calls: Sequence[tuple[attention.AttentionKind, str]] = (
        ("yourTurn", "Your turn"),
        ("failed", "The turn failed"),
        ("waiting", "A question waits"),
    )
    for (kind, body), other in zip(calls, show.daemon.sessions[1:], strict=True):
        show.daemon.say(attention.Attention(other.session.session_id, kind, "work", body, show.daemon.now()))
    expect(show.page.get_by_role("log", name="Notifications")).to_contain_text("A question waits")


def _noticed(show: Show) -> None:
    """The daemon says what kind of connection this is; no longer once it is lost."""
    show.daemon.notice = READ_ONLY
    one = session(show.daemon.now(), 1)
    serve(show, Told(one), *neighbours(show))
    show.open(f"#session={one.session_id}")
    listed(show.page)
    expect(show.page.get_by_role("region", name="Notice")).to_have_text(READ_ONLY)


IPHONE: Final = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1"

PAGE_STATES: Final[Sequence[State]] = (
    State("settings", _pushing(_settings())),
    State("settings-contrast", _settings(_choose("High contrast"))),
    State("settings-dark", _settings(_choose("Dark"))),
    State("settings-large", _settings(_larger(3))),
    State("settings-notifications-ask", _pushing(_settings(_at("Notifications")))),
    State("settings-notifications-on", _pushing(_settings(_at("Notifications"), permission="granted"))),
    State("settings-notifications-blocked", _settings(_at("Notifications"), permission="denied")),
    State("settings-notifications-no-push", _settings(_at("Notifications"), permission="granted")),
    State("settings-notifications-insecure", _settings(_at("Notifications"), secure=False)),
    State("settings-notifications-iphone", _settings(_at("Notifications"), phone=IPHONE)),
    State("settings-notifications-cut-off", _settings(_cut_off, permission="granted")),
    State("settings-conversation", _settings(_at("Conversation"))),
    State("settings-install", _settings(_offered)),
    State("settings-install-needs", _settings(_needs)),
    State("settings-privacy", _settings(_at("Privacy"))),
    State("settings-forget", _settings(_press("Forget what this browser keeps", "Forget what this browser keeps?"))),
    State("settings-unpair", _settings(_press("Unpair this browser", "Unpair this browser?"))),
    State("details", _details()),
    State("details-lacking", _details(_in_details("Connection"), notices=(LOST,))),
    State("details-notifications", _details(_differs)),
    State("details-happened", _details(_then(_notified, _in_details("Since you opened this page")))),
    State("modal-second-waits", _second_waits),
    State("modal-question-waits", _question_waits),
    State("toasts-call", _called),
    State("notice", _noticed),
    State("offline-start", _away),
)
