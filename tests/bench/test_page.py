"""Promise: what a page tells of itself becomes rows that say when it moved, stalled or grew; what streams is an answer."""

from __future__ import annotations

from bench.chat_peer import ANSWER, words
from bench.page_moving import Noted, component_rows, hour_rows, word_rows
from bench.page_session import Opened, Paged, opening_rows, reading_rows
from bench.report import Row


def named(rows: list[Row]) -> dict[str, Row]:
    return {row.name: row for row in rows}


def noted(*tasks: float, moved: float = 0.0, seconds: float = 60.0) -> Noted:
    return Noted(seconds=seconds, tasks=list(tasks), frames=3_000, moved=moved)


def test_long_tasks_are_counted_by_the_minute_of_both_readers() -> None:
    rows = named(word_rows(noted(201, 199, 250, seconds=80), noted(300, seconds=10), cpu=200, bare=50))
    assert (rows["words, long tasks"].p50, rows["words, long tasks"].met) == (2, False)
    assert rows["words, longest task"].p50 == 300
    assert rows["words, renderer"].ratio == 4
    assert named(word_rows(noted(201), noted(), 200, 50))["words, long tasks"].met


def test_who_reads_above_is_not_to_be_moved_by_a_pixel_and_who_is_at_the_end_goes_with_it() -> None:
    assert named(word_rows(noted(moved=9_000), noted(), 200, 50))["words, moved"].met
    assert named(word_rows(noted(), noted(moved=1), 200, 50))["words, moved"].verdict == "MISSED"
    assert named(reading_rows([Paged(50, 0)] * 19 + [Paged(50, 1)]))["page before, moved"].verdict == "MISSED"


def test_a_long_session_stands_beside_a_short_one() -> None:
    def opened(entries: int, by: float) -> Opened:
        return Opened(entries, ms=[100 * by], elements=[400 * by], nodes=[600.0], heap=[4 * by], kilobytes=[134.0])

    rows = named(opening_rows(opened(200, 1), opened(20_000, 2)))
    assert rows["20000 entries, opened"].ratio == 2
    assert [row.name for row in rows.values() if row.met is False] == [
        "20000 entries, opened",
        "20000 entries, elements",
        "20000 entries, heap",
    ]


def test_a_heap_is_flat_that_grows_by_a_tenth_from_the_first_quarter_to_the_last() -> None:
    assert hour_rows([10, 10, 30, 12, 12, 12, 14, 14, 14, 11, 11, 30], 1_800)[-1].met
    assert hour_rows([10, 10, 10, 11.1], 1_800)[-1].verdict == "MISSED"


def test_a_component_stands_beside_a_page_that_draws_the_same() -> None:
    cpu = {"at rest": [0.0], "closed": [20.0], "open": [150.0]}
    assert named(component_rows(cpu, 75))["component, open"].ratio == 2


def test_words_are_those_of_the_answer_and_go_on_as_long_as_they_are_wanted() -> None:
    assert "".join(words(10_000)).startswith(ANSWER + ANSWER)
    assert len(list(words(2_345))) == 2_345
