"""Every state of the web client that a person can meet, by name: for pictures, and for what must hold in all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec
from playwright.sync_api import Page, WebSocketRoute, expect

from mirrord.wire import messages as wire
from tests.web.browser import Tab
from tests.web.card import Card
from tests.web.scripted import ScriptedDaemon, Told

SECOND: Final = 1000
MINUTE: Final = 60 * SECOND

LONG: Final = (
    "The deployment touches the session store, the queue and the two workers that read from it, and each of them caches the shape of a row "
    "for up to an hour. "
)
PLAN: Final = (
    "# Plan\n\n1. Move the session table behind a view.\n2. Write both shapes, read the old one.\n3. Backfill in batches of 500.\n"
    "4. Read the new shape; keep the old one for a week.\n\nTo roll back, drop the view: nothing else has changed.\n"
)
START: Final = wire.Question(
    "start",
    "Where should the migration start?",
    (
        wire.QuestionOption("schema", "The schema", "Tables and indexes first; the code follows in a second step."),
        wire.QuestionOption("code", "The code", "Both shapes are read until the tables have changed."),
        wire.QuestionOption("both", "Both at once"),
    ),
)
CHECKS: Final = wire.Question(
    "checks",
    "Which checks must pass before the merge?",
    (
        wire.QuestionOption("unit", "Unit tests"),
        wire.QuestionOption("browser", "Tests in a browser", "About six minutes"),
        wire.QuestionOption("lint", "Lint"),
    ),
    multi_select=True,
)
WHEN: Final = wire.Question(
    "when", "When may it be deployed?", (wire.QuestionOption("now", "Right away"), wire.QuestionOption("night", "Tonight, after 22:00"))
)


@dataclass(slots=True)
class Show:
    """A paired tab and the scripted daemon behind it."""

    tab: Tab
    origin: str
    daemon: ScriptedDaemon = field(default_factory=ScriptedDaemon)

    @property
    def page(self) -> Page:
        return self.tab.page

    def open(self, fragment: str = "") -> None:
        """Loads the page anew at that fragment, as if nothing had been before."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.origin}/{fragment}")

    def forget(self) -> None:
        """Nothing is kept but who this browser is."""
        self.page.evaluate("sessionStorage.clear(); localStorage.clear()")

    def card(self) -> Card:
        """The card that is open."""
        prompt = self.daemon.sessions[0].prompts[0]
        return Card(self.page, prompt.questions[0].question if prompt.questions else prompt.title).shown()


@dataclass(frozen=True, slots=True)
class State:
    """`bring` brings a page there; it has come when that returns."""

    name: str
    bring: Callable[[Show], None]
    paired: bool = True

    def __str__(self) -> str:
        return self.name


def session(now: int, number: int = 1, state: wire.State = "idle", *, age: int = 4 * MINUTE, **more: Any) -> wire.Session:
    """A session that has been in that state for `age` ms."""
    names = ("tulips", "session store behind a view", "release notes", None, "flaky test of the queue", "translations", "garden shed")
    folders = ("garden", "work/store", "work/store/docs", "dotfiles", "work/queue", "work/site", "shed")
    return wire.Session(
        session_id=f"{4200 + number}-1234567",
        conversation_id=f"0198c0de-0000-7000-8000-00000000000{number}",
        cwd=f"/home/ada/{folders[number % len(folders)]}",
        status=wire.Status(state, "pi", now - age),
        open_prompts=0,
        name=names[number % len(names)],
        pid=4200 + number,
        pi_version="1.6.0",
        **more,
    )


def asked(show: Show, method: wire.Method, title: str, *, age: int = 8 * SECOND, **more: Any) -> wire.ExtensionUIRequest:
    """A prompt of the first session."""
    return wire.ExtensionUIRequest(
        session_id=session(0).session_id,
        id=f"6f1c2f2e-0d55-4c0e-9b8e-2f1f5a7c{len(title):04}",
        method=method,
        title=title,
        opened_at=show.daemon.now() - age,
        source=more.pop("source", "planner"),
        **more,
    )


def serve(show: Show, *told: Told) -> None:
    show.daemon.sessions = [replace(one, session=_counted(one)) for one in told]


def _counted(told: Told) -> wire.Session:
    return msgspec.structs.replace(told.session, open_prompts=len(told.prompts))


# ---- pairing --------------------------------------------------------------------------------------------------------------


def _unpaired(fragment: str, act: Callable[[Page], None] = lambda page: None) -> Callable[[Show], None]:
    def bring(show: Show) -> None:
        show.open(fragment)
        expect(show.page.get_by_role("heading", level=1)).to_contain_text("Pair this browser")
        act(show.page)

    return bring


def _refused(code: str, message: str, **more: object) -> Callable[[Show], None]:
    """The daemon refuses the code."""

    def bring(show: Show) -> None:
        def refuse(socket: WebSocketRoute) -> None:
            told = {"type": "refused", "code": code, "message": message, **more}
            socket.on_message(lambda _: socket.send(msgspec.json.encode(told).decode()))

        show.page.route_web_socket("**/v1/pair", refuse)
        show.open("#pair=K7QF2M9XTB")
        show.page.get_by_role("button", name="Pair this browser").click()
        expect(show.page.get_by_role("alert").filter(has_text="mirrord pair")).to_be_visible()

    return bring


def _bad_code(page: Page) -> None:
    page.get_by_label("Code").fill("K7QF2")
    page.get_by_role("button", name="Pair this browser").click()
    expect(page.get_by_text("A code has ten letters and digits")).to_be_visible()


# ---- sessions -------------------------------------------------------------------------------------------------------------


def _list(*told: Callable[[Show], Told]) -> Callable[[Show], None]:
    def bring(show: Show) -> None:
        serve(show, *(one(show) for one in told))
        show.open()
        show.forget()
        show.open()
        rows = show.page.get_by_role("navigation", name="Sessions").get_by_role("link")
        expect(rows).to_have_count(len(told))

    return bring


def _one(number: int, state: wire.State, age: int, **prompts: str) -> Callable[[Show], Told]:
    """`prompts`: how many wait, by their titles."""

    def told(show: Show) -> Told:
        here = session(show.daemon.now(), number, state, age=age)
        waiting = tuple(
            msgspec.structs.replace(
                asked(show, "select", title, options=("yes", "no"), option_count=2), session_id=here.session_id, id=name
            )
            for name, title in prompts.items()
        )
        return Told(here, waiting)

    return told


def _empty(show: Show) -> None:
    serve(show)
    show.open()
    expect(show.page.get_by_text("No Pi is running")).to_be_visible()


MANY: Final = (
    _one(1, "waiting", 40 * SECOND, a="Which index should go first?"),
    _one(2, "waiting", 3 * MINUTE, b="Publish the notes?", c="Tag it?"),
    _one(3, "working", 12 * SECOND),
    _one(4, "your_turn", 9 * MINUTE),
    _one(5, "idle", 52 * MINUTE),
    _one(6, "detached", 2 * MINUTE),
    _one(0, "ended", 190 * MINUTE),
)


# ---- one session ----------------------------------------------------------------------------------------------------------


def listed(page: Page) -> None:
    """The session is there as the daemon tells it: who was here before knows its name without."""
    expect(page.get_by_role("heading", level=1, name="session store behind a view")).to_be_visible()
    expect(page.get_by_role("button", name="About this session")).to_be_visible()


def _in_session(state: wire.State, **more: Any) -> Callable[[Show], None]:
    def bring(show: Show) -> None:
        serve(
            show,
            Told(session(show.daemon.now(), 1, state, **more), statuses=(wire.StatusEntry("job", "building 3 of 7"),)),
            *neighbours(show),
        )
        show.open(f"#session={show.daemon.sessions[0].session.session_id}")
        listed(show.page)

    return bring


def neighbours(show: Show) -> Iterator[Told]:
    """Sessions beside the one that is looked at."""
    for number, state, age in ((3, "working", 12 * SECOND), (4, "your_turn", 9 * MINUTE), (5, "idle", 52 * MINUTE)):
        yield Told(session(show.daemon.now(), number, state, age=age))  # type: ignore[arg-type] # literals


Act = Callable[[Show], None]


def _card(method: wire.Method, title: str, act: Act = lambda show: None, *, others: int = 0, **more: Any) -> Act:
    """The session with that prompt, and so many more behind it."""

    def bring(show: Show) -> None:
        first = asked(show, method, title, **{name: value(show) if callable(value) else value for name, value in more.items()})
        behind = (asked(show, "confirm", f"Question {number}, which waits?") for number in range(others))
        serve(show, Told(session(show.daemon.now(), 1, "waiting", age=8 * SECOND), (first, *behind)), *neighbours(show))
        show.open(f"#session={first.session_id}")
        show.forget()
        show.open(f"#session={first.session_id}")
        show.card()
        act(show)

    return bring


def _settled(outcome: wire.Outcome, winner: wire.Winner, **more: Any) -> Act:
    def act(show: Show) -> None:
        prompt = show.daemon.sessions[0].prompts[0]
        now = show.daemon.now()
        settled = wire.ExtensionUISettled(prompt.session_id, prompt.id, outcome, winner, now, cursor=show.daemon.cursor(), **more)
        idle = wire.SessionChanged("changed", session(now, 1, "working", age=0))
        show.daemon.sessions[0] = Told(idle.session)
        show.daemon.say(settled, idle)
        Card(show.page, prompt.title).phase("settled").shown()

    return act


def _then(*acts: Act) -> Act:
    def act(show: Show) -> None:
        for one in acts:
            one(show)

    return act


def _choose(label: str, role: Any = "radio") -> Act:
    return lambda show: show.card().choose(label, role)


def _type(text: str) -> Act:
    return lambda show: show.card().type(text)


def _send(phase: str) -> Act:
    def act(show: Show) -> None:
        card = show.card()
        card.send()
        card.phase(phase)

    return act


def _ruled(**more: Any) -> Act:
    """The daemon has told what became of the answer."""

    def act(show: Show) -> None:
        prompt = show.daemon.sessions[0].prompts[0]
        answer = show.daemon.answers()[-1]
        assert answer.response_id is not None
        told = {**more, "settled": wire.Verdict(at=show.daemon.now(), **more["settled"])} if "settled" in more else more
        show.daemon.say(wire.ResponseResult(answer.response_id, prompt.id, accepted=False, **told))
        if more["reason"] == "settled":
            show.daemon.say(wire.SessionChanged("changed", session(show.daemon.now(), 1, "working", age=0)))
        Card(show.page, prompt.title).phase("lost_race" if more["reason"] == "settled" else "refused").shown()

    return act


def _lost(show: Show) -> None:
    card = show.card()
    show.page.route_web_socket("**/v1/*", lambda socket: socket.close(code=1001, reason="the daemon stops"))
    show.daemon.cut()
    card.phase("link_lost")
    expect(show.page.get_by_role("region", name="Connection")).to_be_visible()


def _opened(show: Show) -> None:
    show.card().open()


def _to_review(show: Show) -> None:
    """Through three questions to the page of all answers."""
    page = show.page
    for question, choices, role in ((START, ["The code"], "radio"), (CHECKS, ["Unit tests", "Lint"], "checkbox"), (WHEN, [], "radio")):
        card = Card(page, question.question).open()
        for choice in choices:
            card.choose(choice, role)  # type: ignore[arg-type] # literals
        card.press("Skip" if not choices else re.compile("^(?:Next|Review)$"))
    expect(page.get_by_text("Your answers")).to_be_visible()
    Card(page, "Your answers").shown()


# ---- the page itself ------------------------------------------------------------------------------------------------------


def _notified(show: Show) -> None:
    _in_session("working")(show)
    (first, *_) = show.daemon.sessions
    for level, text in (
        ("info", "Tests are green"),
        ("warning", "The replica lags by 40 s"),
        ("error", "The push was rejected: main has moved"),
    ):
        show.daemon.say(
            wire.ExtensionUINotification(first.session.session_id, "notify", message=text, notify_type=level)  # type: ignore[arg-type]
        )
    expect(show.page.get_by_role("log", name="Notifications")).to_contain_text("main has moved")


def _keys(show: Show) -> None:
    _in_session("idle")(show)
    show.page.keyboard.press("?")
    expect(show.page.get_by_role("dialog", name="Keys")).to_be_visible()


def _about(show: Show) -> None:
    _in_session("idle")(show)
    show.page.get_by_role("button", name="About this session").click()
    expect(show.page.get_by_role("dialog", name="About this session")).to_be_visible()


def _closed(code: int, reason: str, title: str) -> Act:
    """The daemon ends the connection for good."""

    def bring(show: Show) -> None:
        _in_session("idle")(show)
        show.daemon.cut(code, reason)
        expect(show.page.get_by_text(title)).to_be_visible()

    return bring


def _of_another_age(show: Show) -> None:
    _in_session("idle")(show)
    show.daemon.say(wire.Error("protocol", "This daemon speaks protocol 2 to 3, the client 1: update mirrord on this device."))
    expect(show.page.get_by_text("of different ages")).to_be_visible()


def _gone(show: Show) -> None:
    serve(show, *neighbours(show))
    show.open("#session=1-1")
    expect(show.page.get_by_text("This session is gone")).to_be_visible()


FRUIT: Final = ("apple", "quince", "medlar", "damson", "rowan", "sloe", "bilberry", "cloudberry")
DATABASES: Final[Mapping[str, Any]] = {"options": ("SQLite in memory", "Postgres in Docker", "The staging replica"), "option_count": 3}
WHICH: Final = "Which database should the tests run against?"
DELETE: Final = "Delete 14 branches that are merged?"
DELETE_SAYS: Final = "They are gone from origin too. The last commit of each stays in the reflog for 90 days."

STATES: Final[Sequence[State]] = (
    State("pairing-link", _unpaired("#pair=K7QF2M9XTB"), paired=False),
    State("pairing-typed", _unpaired(""), paired=False),
    State("pairing-not-a-code", _unpaired("", _bad_code), paired=False),
    State(
        "pairing-wrong-code", _refused("wrong_code", "That is not the code that `mirrord pair` shows; check it.", triesLeft=3), paired=False
    ),
    State("pairing-used-code", _refused("used_code", "This code was used already; make a new one with `mirrord pair`."), paired=False),
    State("pairing-old-code", _refused("old_code", "This code is too old; make a new one with `mirrord pair`."), paired=False),
    State("list-none", _empty),
    State("list-one", _list(_one(1, "idle", 4 * MINUTE))),
    State("list-many", _list(*MANY)),
    State("list-needs-you", _list(_one(1, "waiting", 40 * SECOND, a="Which index?"), _one(3, "working", 12 * SECOND))),
    State("list-detached", _list(_one(6, "detached", 2 * MINUTE), _one(2, "suspended", MINUTE))),
    State("session-idle", _in_session("idle")),
    State("session-working", _in_session("working", notices=("Some notifications were lost while the daemon did not read. (3)",))),
    State("session-detached", _in_session("detached")),
    State("session-gone", _gone),
    State("card-select", _card("select", WHICH, **DATABASES)),
    State("card-select-chosen", _card("select", WHICH, _choose("Postgres in Docker"), **DATABASES)),
    State("card-select-countdown", _card("select", WHICH, timeout_at=lambda show: show.daemon.now() + 92 * SECOND, **DATABASES)),
    State(
        "card-select-many",
        _card(
            "select",
            "Pick a fruit",
            _opened,
            options=tuple(f"{FRUIT[number % len(FRUIT)]} {number + 1}" for number in range(200)),
            option_count=10_000,
        ),
    ),
    State("card-confirm", _card("confirm", DELETE, message=DELETE_SAYS)),
    State("card-confirm-others-wait", _card("confirm", DELETE, others=2, message=DELETE_SAYS)),
    State("card-confirm-long", _card("confirm", DELETE, _opened, message=LONG * 12)),
    State("card-confirm-brief", _card("confirm", DELETE, message=LONG * 12)),
    State("card-input", _card("input", "Name of the release branch", placeholder="release/2026-12")),
    State("card-input-typed", _card("input", "Name of the release branch", _type("release/2026-12-hotfix"), placeholder="release/2026-12")),
    State("card-input-masked", _card("input", "API token of the registry", _type("npm_abcdefgh"), placeholder="npm_…", masked=True)),
    State("card-editor-brief", _card("editor", "Edit the plan before it is carried out", prefill=PLAN)),
    State("card-editor", _card("editor", "Edit the plan before it is carried out", _opened, prefill=PLAN)),
    State("card-ask", _card("ask", START.question, questions=(START,), allow_custom=True)),
    State("card-ask-several", _card("ask", CHECKS.question, _choose("Unit tests", "checkbox"), questions=(CHECKS,), allow_custom=True)),
    State("card-ask-own", _card("ask", START.question, _type("With the read path, behind a flag"), questions=(START,), allow_custom=True)),
    State("card-ask-questions", _card("ask", "3 questions", questions=(START, CHECKS, WHEN), allow_custom=True, others=1)),
    State("card-ask-review", _card("ask", "3 questions", _to_review, questions=(START, CHECKS, WHEN), allow_custom=True)),
    State(
        "card-custom",
        _card(
            "custom", "A dialog of snake", source="snake", terminal_only="This dialog can only be used at the terminal.", cancellable=False
        ),
    ),
    State("card-sending", _card("select", WHICH, _then(_choose("Postgres in Docker"), _send("sending")), **DATABASES)),
    State("card-not-confirmed", _card("select", WHICH, _then(_choose("Postgres in Docker"), _send("unsure")), **DATABASES)),
    State(
        "card-refused",
        _card(
            "input",
            "Name of the release branch",
            _then(_type("release"), _send("sending"), _ruled(reason="invalid", detail="A branch of that name is there already.")),
        ),
    ),
    State(
        "card-lost-race",
        _card(
            "select",
            WHICH,
            _then(
                _choose("Postgres in Docker"),
                _send("sending"),
                _ruled(reason="settled", settled={"outcome": "answered", "winner": "terminal", "answer": "The staging replica"}),
            ),
            **DATABASES,
        ),
    ),
    State("card-lost-link", _card("ask", START.question, _then(_choose("The code"), _lost), questions=(START,), allow_custom=True)),
    State(
        "card-settled-elsewhere",
        _card("select", WHICH, _settled("answered", "remote", winner_name="tablet", answer="SQLite in memory"), **DATABASES),
    ),
    State("card-settled-at-terminal", _card("confirm", DELETE, _settled("answered", "terminal", answer="Yes"), message=DELETE_SAYS)),
    State(
        "card-settled-text-kept",
        _card("input", "Name of the release branch", _then(_type("release/hotfix"), _settled("answered", "terminal"))),
    ),
    State("card-timed-out", _card("confirm", DELETE, _settled("timed_out", "none"), message=DELETE_SAYS)),
    State("toasts", _notified),
    State("keys", _keys),
    State("about-session", _about),
    State("stopped-revoked", _closed(1008, "revoked", "no longer paired")),
    State("stopped-protocol", _of_another_age),
)
