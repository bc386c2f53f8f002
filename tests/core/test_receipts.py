"""Promise: what became of a turn is known by its id for as long as somebody may ask, and a retry is told from another text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrord.core.model import Moment
from mirrord.core.receipts import RECEIPTS, Receipt, Receipts, ReceiptsLoaded, retained
from mirrord.core.retention import Prune, Retention

NOW = 1_700_000_000_000


def receipt(number: int = 0, at: int = NOW, digest: bytes = b"d") -> Receipt:
    return Receipt(f"turn-{number}", "phone", "4242-1", "prompt", digest, "sent", at)


def test_the_newest_stage_of_a_turn_is_found_and_no_other_turn() -> None:
    kept = Receipts()
    kept.put(receipt())
    kept.put(replace(receipt(), stage="queued"))
    found = kept.find("turn-0")
    assert found is not None
    assert found.stage == "queued"
    assert kept.find("turn-1") is None
    assert len(kept) == 1


def test_a_retry_is_the_same_turn_under_any_name_of_its_device_and_anything_else_is_a_conflict() -> None:
    kept = Receipts(key=b"k")
    first = receipt(digest=kept.digest("Plan the beds"))
    assert replace(first, credential="tablet").is_of("4242-1", "prompt", kept.digest("Plan the beds"))
    assert not first.is_of("4242-1", "prompt", kept.digest("Plan the bed"))
    assert not first.is_of("4242-1", "steer", kept.digest("Plan the beds"))
    assert not first.is_of("4343-1", "prompt", kept.digest("Plan the beds"))


def test_without_the_key_a_digest_confirms_no_guess() -> None:
    assert Receipts(key=b"k").digest("yes") != Receipts(key=b"l").digest("yes")
    assert len(Receipts(key=b"k").digest("yes")) == len(Receipts(key=b"k").digest("y" * 100_000))


def test_no_repr_shows_a_digest_or_the_key() -> None:
    loaded = ReceiptsLoaded(key=b"secret-key", receipts=(receipt(digest=b"secret-digest"),))
    assert "secret" not in repr(loaded) + repr(Receipts(key=b"secret-key"))


def test_one_receipt_too_much_forgets_the_one_that_changed_longest_ago() -> None:
    kept = Receipts()
    for number in range(RECEIPTS):
        kept.put(receipt(number))
    kept.put(replace(receipt(0), stage="consumed"))
    assert len(kept) == RECEIPTS
    kept.put(receipt(RECEIPTS))
    assert len(kept) == RECEIPTS
    assert kept.find("turn-1") is None
    assert kept.find("turn-0") is not None


def test_one_device_that_floods_pushes_out_nobody_elses() -> None:
    kept = Receipts()
    quiet = [replace(receipt(90_000 + number), credential="tablet") for number in range(50)]
    for each in quiet:
        kept.put(each)
    for number in range(2 * RECEIPTS):
        kept.put(receipt(number))
    assert len(kept) == RECEIPTS
    assert [each for each in kept if each.credential == "tablet"] == quiet


def test_devices_that_all_flood_share_what_there_is() -> None:
    kept = Receipts()
    for number in range(3 * RECEIPTS):
        kept.put(replace(receipt(number), credential=f"device {number % 4}"))
    assert [sum(each.credential == f"device {device}" for each in kept) for device in range(4)] == [RECEIPTS // 4] * 4


def test_more_bytes_than_are_allowed_are_forgotten_the_oldest_first() -> None:
    kept = Receipts(most_bytes=3 * receipt(1).size)
    for number in range(1, 6):
        kept.put(receipt(number))
    assert [each.client_turn_id for each in kept] == ["turn-3", "turn-4", "turn-5"]
    kept.put(replace(receipt(3), reason="r" * receipt(1).size))
    assert [each.client_turn_id for each in kept] == ["turn-5", "turn-3"]


@pytest.mark.parametrize(("age", "known"), [(0, True), (1, False)])
def test_a_receipt_is_forgotten_when_it_is_too_old_and_no_clock_that_was_set_makes_it_so(age: int, known: bool) -> None:
    retention = Retention(days=3)
    made = receipt(0, at=NOW - retention.ms - age)
    kept = Receipts()
    kept.put(made)
    kept.put(receipt(1, at=NOW))
    kept.prune(Prune(at=Moment(NOW, 0), retention=retention, before=None))
    assert kept.find("turn-0") is not None
    kept.prune(Prune(at=Moment(NOW, 0), retention=retention, before=NOW - retention.ms))
    assert (kept.find("turn-0") is not None) is known
    assert (made in retained([made], retention, NOW - retention.ms)) is known


def test_what_is_loaded_takes_the_place_of_what_was_there() -> None:
    kept = Receipts()
    kept.put(receipt(7))
    kept.load(ReceiptsLoaded(key=b"k", receipts=(receipt(0), receipt(1))))
    assert [each.client_turn_id for each in kept] == ["turn-0", "turn-1"]
    assert kept.digest("x") == Receipts(key=b"k").digest("x")


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc"), st.integers(0, 300)), max_size=60), st.integers(300, 3_000))
def test_what_is_counted_is_what_is_there(puts: list[tuple[int, str, int]], most: int) -> None:
    kept = Receipts(most_bytes=most)
    for number, name, length in puts:
        kept.put(replace(receipt(number), credential=name, reason="r" * length))
        assert sum(each.size for each in kept) == kept._bytes <= most
        assert sorted(turn for ids in kept._of.values() for turn in ids) == sorted(each.client_turn_id for each in kept)
