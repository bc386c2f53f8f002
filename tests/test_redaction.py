"""Promise: a text whose type says that it is sensitive comes out of no format, repr or log, and neither do the words of strange errors."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from mirrord.logs import failed, logging_to, note
from mirrord.redaction import Content, Secret

CANARY = "yellow canary 7f3a"


@pytest.mark.parametrize(("kind", "shown"), [(Secret, "[secret]"), (Content, "[content]")])
def test_no_format_shows_it(kind: type[Secret], shown: str) -> None:
    text = kind(CANARY)
    assert {str(text), repr(text), f"{text}", f"{text!r:>3}", f"{text:>40}", "%s" % text} == {shown}  # noqa: UP031
    assert repr([text]) == f"[{shown}]"
    assert text.reveal() == CANARY
    assert text == kind(CANARY)


def test_a_line_of_the_log_has_its_type_and_not_its_text(tmp_path: Path) -> None:
    with logging_to(tmp_path, quiet=True):
        note("x", token=Secret(CANARY), title=Content(CANARY))
    assert (tmp_path / "daemon.log").read_text().endswith("x token=[secret] title=[content]\n")


def raises(kind: str) -> None:
    match kind:
        case "key":
            dict[str, str]()[CANARY]
        case "number":
            int(CANARY)
        case "encoding":
            f"{CANARY}\udcff".encode()
        case "cause":
            try:
                raises("number")
            except ValueError:
                raise RuntimeError("while reading") from None
        case "chain":
            try:
                raises("key")
            except KeyError as error:
                raise RuntimeError("while looking") from error
        case "context":
            try:
                raises("key")
            except KeyError:
                raise RuntimeError("meanwhile")  # noqa: B904
        case "group":
            raise ExceptionGroup(CANARY, [ValueError(CANARY), RuntimeError("ours")])
        case _:
            raise LookupError(CANARY)


@pytest.mark.parametrize("kind", ["key", "number", "encoding", "cause", "chain", "context", "group", "other"])
def test_an_error_that_quotes_what_it_stumbled_on_is_told_without_its_words(tmp_path: Path, kind: str) -> None:
    with logging_to(tmp_path, quiet=True):
        try:
            raises(kind)
        except Exception as error:
            failed("daemon: failed", error)
    text = (tmp_path / "daemon.log").read_text()
    assert CANARY not in text
    assert "in raises" in text
    assert ("RuntimeError: " in text) == (kind in ("cause", "chain", "context", "group"))


def test_the_event_loops_reports_are_told_without_the_objects_in_them(tmp_path: Path) -> None:
    with logging_to(tmp_path, quiet=True):
        logging.getLogger("asyncio").error(f"Task exception was never retrieved\nfuture: <Task {CANARY}>")
    assert (tmp_path / "daemon.log").read_text().endswith("ERROR Task exception was never retrieved\n")
