"""Promise: a value of another kind is refused and never bent into shape, in the file as in the environment."""

from __future__ import annotations

from typing import Any

import pytest

from mirrord.config.kinds import Choice, Contact, Flag, Kind, Program, Seconds, Size, Texts, Whole

READ = [
    (Flag(), True, True),
    (Whole(0, 65_535), 0, 0),
    (Whole(0, 65_535), 65_535, 65_535),
    (Seconds(9), 0, 0.0),
    (Seconds(9), 1.5, 1.5),
    (Size(10, 1024**3), 10, 10),
    (Size(10, 1024**3), "64 MiB", 64 * 1024**2),
    (Size(10, 1024**3), "1gb", 1000**3),
    (Choice(("a", "b")), "b", "b"),
    (Texts(), [], ()),
    (Texts(), ["~/x", "y"], ("~/x", "y")),
    (Program(), ["notify", "a b"], ("notify", "a b")),
    (Program(), [], ()),
    (Contact(), "mailto:ada@example.org", "mailto:ada@example.org"),
    (Contact(), "https://example.org/me", "https://example.org/me"),
]


def _several(*found: Any) -> tuple[Any, ...]:
    return found


REFUSED: list[tuple[Kind, Any]] = [
    *[(Flag(), found) for found in _several(0, 1, "true", None)],
    *[(Whole(1, 5), found) for found in _several(0, 6, True, 2.0, "2")],
    *[(Seconds(9), found) for found in _several(-1, True, "1", float("nan"), float("inf"), 9.5, 10**400)],
    *[(Size(10, 1024**3), found) for found in _several(9, "9", True, "10 parsecs", "-1", 10.5, "", 1024**3 + 1, "2 GiB", 10**400)],
    *[(Choice(("a", "b")), found) for found in _several("A", "c", 1)],
    *[(Texts(), found) for found in _several("x", ["x", 1], {})],
    *[(Program(), found) for found in _several("notify-send Pi", ["", "x"], ["a\0"], [1])],
    *[
        (Contact(), found)
        for found in ("ada@example.org", "mailto:@localhost", "mailto:ada@localhost", "https://", "http://example.org", 1)
    ],
    (Contact(), "https://example.org/" + "a" * 200),
]


@pytest.mark.parametrize(("kind", "found", "value"), READ)
def test_a_value_of_its_kind_is_read(kind: Kind, found: Any, value: Any) -> None:
    read = kind.read(found)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(("kind", "found"), REFUSED)
def test_any_other_value_is_refused(kind: Kind, found: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - it has no words of its own: the caller has them
        kind.read(found)
    assert kind.words


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Flag(), " Yes ", True),
        (Flag(), "0", False),
        (Whole(0, 9), "7", 7),
        (Seconds(9), "2.5", 2.5),
        (Size(10, 1024**3), "10", 10),
        (Choice(("info",)), "INFO", "info"),
        (Texts(), "~/a:/b:", ("~/a", "/b")),
        (Program(), "notify-send 'needs you' $HOME;ls", ("notify-send", "needs you", "$HOME;ls")),
        (Contact(), " mailto:ada@example.org", "mailto:ada@example.org"),
    ],
)
def test_the_environment_has_texts(kind: Kind, text: str, value: Any) -> None:
    assert kind.parse(text) == value


@pytest.mark.parametrize(
    ("kind", "text"), [(Flag(), "maybe"), (Whole(0, 9), "1.0"), (Whole(0, 9), "10"), (Seconds(9), "soon"), (Program(), "'open")]
)
def test_a_text_of_another_kind_is_refused(kind: Kind, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        kind.parse(text)
