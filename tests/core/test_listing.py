"""Promise: a search finds a session by any literal part of its title, whatever the case, before paging; pages miss and repeat none."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrord.core.listing import PAGE, PAGE_MAX, SEARCH_CHARS, SessionsArgs, fold, listed, page, title
from mirrord.wire.messages import Session, Status


def session(
    name: str | None = None, since: int = 0, *, id_: str = "1-1", first: str | None = None, cwd: str = "/home/ada/garden"
) -> Session:
    return Session(id_, "c", cwd, Status("idle", "pi", since), 0, name=name, first_message=first)


def found(sessions: list[Session], search: str) -> list[str]:
    return [title(each) for each in page(sessions, SessionsArgs(search=search)).sessions]


def test_a_title_is_the_name_else_the_first_message_else_the_folder() -> None:
    assert title(session("tulips", first="Plan the beds")) == "tulips"
    assert title(session(first="Plan the beds")) == "Plan the beds"
    assert title(session()) == "garden"
    assert title(session(cwd="/home/ada/garden/")) == "garden"
    assert title(session(cwd="/")) == "/"


@pytest.mark.parametrize(
    ("name", "search"),
    [
        ("Tulips", "tULIp"),
        ("Tulips", ""),
        ("Straße 7", "STRASSE"),
        ("Ωmega", "ωM"),
        ("Caf\u00e9", "cafe\u0301"),
        ("Cafe\u0301", "CAF\u00c9"),
        ("a.*b", ".*"),
        ("50% [done]", "% ["),
        ("two  spaces", "o  s"),
        ("ΟΔΟΣ", "οδος"),
    ],
)
def test_a_search_is_literal_and_knows_no_case_and_no_way_of_writing_accents(name: str, search: str) -> None:
    assert found([session(name)], search) == [name]


@pytest.mark.parametrize(
    ("name", "search"), [("Tulips", "tul.p"), ("Tulips", "%"), ("Tulips", "tulips "), ("Caf\u00e9", "cafe"), ("ab", "a b")]
)
def test_what_is_not_a_part_of_the_title_is_not_found(name: str, search: str) -> None:
    assert found([session(name)], search) == []


def test_only_the_title_is_searched() -> None:
    assert found([session("tulips", first="roses", cwd="/home/ada/roses")], "roses") == []


def test_the_search_comes_before_paging() -> None:
    sessions = [session("rose" if number % 10 else "tulip", since=number, id_=f"{number}-1") for number in range(100)]
    first = page(sessions, SessionsArgs(search="tulip", limit=4))
    assert [each.status.since for each in first.sessions] == [90, 80, 70, 60]
    second = page(sessions, SessionsArgs(search="tulip", limit=6, cursor=first.cursor))
    assert [each.status.since for each in second.sessions] == [50, 40, 30, 20, 10, 0]
    assert second.cursor is None


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=30),
    st.integers(1, 7),
    st.data(),
)
def test_pages_together_are_the_whole_list_also_when_other_sessions_come_and_go(since: list[int], limit: int, data: st.DataObject) -> None:
    staying = [session(since=each, id_=f"{number}-1") for number, each in enumerate(since)]
    seen: list[Session] = []
    cursor: str | None = None
    while True:
        passing = [
            session(since=each, id_=f"p{number}-1") for number, each in enumerate(data.draw(st.lists(st.integers(0, 5), max_size=5)))
        ]
        got = page([*passing, *staying], SessionsArgs(limit=limit, cursor=cursor))
        assert len(got.sessions) <= limit
        seen += [each for each in got.sessions if each in staying]
        if got.cursor is None:
            break
        cursor = got.cursor
    assert seen == sorted(staying, key=lambda each: (-each.status.since, each.session_id))


@given(st.text())
def test_folding_again_changes_nothing_and_the_case_of_what_is_searched_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(text.casefold()) == fold(text)


@pytest.mark.parametrize(
    "args",
    [
        {"limit": 0},
        {"limit": PAGE_MAX + 1},
        {"limit": "5"},
        {"search": "x" * (SEARCH_CHARS + 1)},
        {"search": None},
        {"cursor": "garden"},
        {"cursor": "-1.1-1"},
        {"cursor": "9" * 17 + ".1-1"},
        {"other": 1},
    ],
)
def test_args_that_make_no_page_are_refused(args: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(args, SessionsArgs)


def test_the_data_of_the_command_names_a_cursor_only_where_there_is_more() -> None:
    sessions = [session(since=number, id_=f"{number}-1") for number in range(PAGE + 1)]
    data = listed(sessions, SessionsArgs())
    assert (len(data["sessions"]), data["cursor"]) == (PAGE, "1.1-1")
    last = listed(sessions, SessionsArgs(cursor=data["cursor"]))
    assert [each.status.since for each in last["sessions"]] == [0]
    assert "cursor" not in last
