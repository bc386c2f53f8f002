"""Promise: one list of a JSON text changes, every other character stays, and a text we do not understand is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.json_edit import NotEditable, add_item, items, remove_items

if TYPE_CHECKING:
    from collections.abc import Callable

ADDED = [
    ("{}", '{\n  "list": [\n    "new"\n  ]\n}'),
    ("{ \n }\n", '{\n  "list": [\n    "new"\n  ]\n}\n'),
    ('{"a":1}', '{"a":1,"list":["new"]}'),
    ('{"a": 1}', '{"a": 1, "list": ["new"]}'),
    ('{ "a": 1, "b": 2 }', '{ "a": 1, "b": 2, "list": ["new"] }'),
    ('{\n  "a": {"x": [1]}\n}\n', '{\n  "a": {"x": [1]},\n  "list": [\n    "new"\n  ]\n}\n'),
    ('{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"list": [\r\n\t\t"new"\r\n\t]\r\n}'),
    ('{\n"a": 1\n}', '{\n"a": 1,\n"list": [\n  "new"\n]\n}'),
    ('{"list":[]}', '{"list":["new"]}'),
    ('{"list": [ ]}', '{"list": ["new"]}'),
    ('{\n  "list": [],\n  "a": 1\n}', '{\n  "list": [\n    "new"\n  ],\n  "a": 1\n}'),
    ('{"list":["x"]}', '{"list":["x","new"]}'),
    (
        '{"list": ["x"]}',
        '{"list": ["x", "new"]}',
    ),
    ('{"list": [ "x" , "y" ]}', '{"list": [ "x" , "y" , "new" ]}'),
    ('{\n    "list": [\n        "x"\n    ]\n}', '{\n    "list": [\n        "x",\n        "new"\n    ]\n}'),
    ('{\n  "list": ["x",\n           "y"]\n}', '{\n  "list": ["x",\n           "y",\n           "new"]\n}'),
    (
        '{"in": {"list": 1}, "s": "\\"list\\": [", "list": [{"list": "]"}]}',
        '{"in": {"list": 1}, "s": "\\"list\\": [", "list": [{"list": "]"}, "new"]}',
    ),
    ('{"l\\u0069st": ["x"]}', '{"l\\u0069st": ["x", "new"]}'),
]


@pytest.mark.parametrize(("before", "after"), ADDED)
def test_an_item_is_added_in_the_style_of_the_text(before: str, after: str) -> None:
    assert add_item(before, "list", "new") == after
    assert items(after, "list") == [*items(before, "list"), "new"]


def test_an_item_is_quoted_and_stays_readable() -> None:
    assert add_item("{}", "list", 'a"b\\c ü') == '{\n  "list": [\n    "a\\"b\\\\c ü"\n  ]\n}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"list": ["old"]}', "{}"),
        ('{"a": 1, "list": ["old"]}', '{"a": 1}'),
        ('{"list": ["old"], "a": 1}', '{"a": 1}'),
        ('{\n  "a": 1,\n  "list": [\n    "old"\n  ],\n  "b": 2\n}\n', '{\n  "a": 1,\n  "b": 2\n}\n'),
        ('{"list": ["old", "x"]}', '{"list": ["x"]}'),
        ('{"list": ["x" , "old"]}', '{"list": ["x"]}'),
        ('{"list": ["old", "x", "old", "y", "old", "old"]}', '{"list": ["x", "y"]}'),
        ('{"list": ["old", "old"]}', "{}"),
        ('{"list": [{"old": 1}, ["old"], "x"]}', '{"list": [{"old": 1}, ["old"], "x"]}'),
        ('{"list": []}', '{"list": []}'),
        ('{"a": ["old"]}', '{"a": ["old"]}'),
    ],
)
def test_items_are_removed_with_their_commas(before: str, after: str) -> None:
    assert remove_items(before, "list", lambda item: item == "old") == after


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "line 1, column 1: Expecting value"),
        ("{\n  // a comment\n}", "line 2, column 3: Expecting property name"),
        ('{"list": ["x",]}', "line 1, column 1"),
        ('{"list": [1] "a": 2}', "Expecting ',' delimiter"),
        ("{} {}", "Extra data"),
        ("\ufeff{}", "Unexpected UTF-8 BOM"),
        ("[]", "it is not an object"),
        ('"list"', "it is not an object"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"list": "x"}', '"list" is not a list'),
        ('{"list": null}', '"list" is not a list'),
        ('{"list": [], "list": []}', '"list" is there twice'),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deep"),
        ('{"a": ' + "1" * 5000 + "}", "a number that is too long"),
    ],
)
def test_what_is_not_understood_is_refused_with_the_reason(text: str, reason: str) -> None:
    def same(_: object) -> bool:
        return True

    edits: tuple[Callable[[], object], ...] = (
        lambda: items(text, "list"),
        lambda: add_item(text, "list", "new"),
        lambda: remove_items(text, "list", same),
    )
    for edit in edits:
        with pytest.raises(NotEditable) as refused:
            edit()
        assert reason in str(refused.value)


def is_new(item: object) -> bool:
    return item == "new"


BLANK = st.text(" \t\r\n", max_size=3)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)


@st.composite
def written(draw: st.DrawFn, value: object) -> str:
    """`value` as JSON with blanks wherever they are allowed."""
    if isinstance(value, dict):
        members = [
            f"{draw(BLANK)}{json.dumps(key)}{draw(BLANK)}:{draw(BLANK)}{draw(written(inner))}{draw(BLANK)}" for key, inner in value.items()
        ]
        return "{" + (",".join(members) or draw(BLANK)) + "}"
    if isinstance(value, list):
        return "[" + (",".join(f"{draw(BLANK)}{draw(written(inner))}{draw(BLANK)}" for inner in value) or draw(BLANK)) + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def documents(draw: st.DrawFn, *, with_list: bool) -> tuple[str, dict[str, object]]:
    value = draw(st.dictionaries(st.text(max_size=5).filter(lambda key: key != "list"), VALUES, max_size=4))
    if with_list:
        members = [*value.items(), ("list", draw(st.lists(VALUES.filter(lambda value: value != "new"), min_size=1, max_size=4)))]
        value = dict(draw(st.permutations(members)))
    return draw(BLANK) + draw(written(value)) + draw(BLANK), value


@given(documents(with_list=True))
def test_in_a_list_that_is_there_only_the_item_and_its_comma_are_new(document: tuple[str, dict[str, object]]) -> None:
    text, value = document
    added = add_item(text, "list", "new")
    at = added.index('"new"', next(place for place in range(len(added)) if added[place] != (text + "\0")[place]))
    assert added[at:].removeprefix('"new"') == text[len(text) - (len(added) - at - 5) :]
    assert json.loads(added) == {**value, "list": [*items(text, "list"), "new"]}
    assert list(json.loads(added)) == list(value)
    assert remove_items(added, "list", is_new) == text


@given(documents(with_list=False))
def test_a_list_that_was_not_there_is_added_last_and_goes_without_a_trace(document: tuple[str, dict[str, object]]) -> None:
    text, value = document
    added = add_item(text, "list", "new")
    assert list(json.loads(added).items()) == [*value.items(), ("list", ["new"])]
    removed = remove_items(added, "list", is_new)
    assert removed == text if value else json.loads(removed) == {}


@given(documents(with_list=True), st.data())
def test_each_item_can_be_removed_from_any_place(document: tuple[str, dict[str, object]], data: st.DataObject) -> None:
    text, value = document
    listed = items(text, "list")
    gone = data.draw(st.sampled_from(listed))
    left = [item for item in listed if item != gone]
    expected = {**value, "list": left} if left else {key: inner for key, inner in value.items() if key != "list"}
    assert json.loads(remove_items(text, "list", lambda item: item == gone)) == expected
