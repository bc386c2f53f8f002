"""Promise: whatever a person does wrong ends in one sentence and a status; what we do wrong ends in a traceback."""

from __future__ import annotations

import errno

import click
import pytest

from bridge.refusal import Refusal
from mirrord import cli
from mirrord.cli.output import NotWritten
from mirrord.errors import MirrordError


class Costly(MirrordError):
    """An error with a status of its own."""

    exit_code = 7


def failing(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise error

    command = click.Command("fails", callback=fail)
    monkeypatch.setattr(cli.cli, "get_command", lambda context, name: command)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (MirrordError("it is so; do that"), 1, "mirrord: it is so; do that\n"),
        (Refusal("it is so; do that"), 1, "mirrord: it is so; do that\n"),
        (Costly("dear"), 7, "mirrord: dear\n"),
        (ExceptionGroup("tasks", [ExceptionGroup("tasks", [MirrordError("inner")])]), 1, "mirrord: inner\n"),
        (KeyboardInterrupt(), 130, ""),
        (BaseExceptionGroup("tasks", [KeyboardInterrupt()]), 130, ""),
        (click.ClickException("wrong"), 1, "Error: wrong\n"),
        (click.UsageError("wrong"), 2, "Error: wrong\n"),
    ],
)
def test_a_persons_mistake(
    error: BaseException, status: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(error, monkeypatch)
    assert cli.run(["fails"]) == status
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.endswith(said)
    assert "Traceback" not in shown.err


@pytest.mark.parametrize("error", [ValueError("ours"), ExceptionGroup("tasks", [MirrordError("theirs"), ValueError("ours")])])
def test_our_mistake(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(error, monkeypatch)
    with pytest.raises(type(error)):
        cli.run(["fails"])


def test_a_verbs_number_is_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.cli, "get_command", lambda context, name: click.Command("ends", callback=lambda: 3))
    assert cli.run(["ends"]) == 3


def test_output_that_cannot_be_written_is_told_and_given_up(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    given_up: list[bool] = []
    monkeypatch.setattr(cli, "give_up_stdout", lambda: given_up.append(True))
    failing(NotWritten(errno.EIO, "Input/output error"), monkeypatch)
    assert cli.run(["fails"]) == 1
    assert given_up == [True], "what is in the buffer is flushed at the end otherwise"
    assert capsys.readouterr().err == "mirrord: the output could not be written: Input/output error\n"


def test_another_file_that_cannot_be_written_is_not_taken_for_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    failing(OSError(errno.ENOSPC, "No space left on device"), monkeypatch)
    with pytest.raises(OSError, match="No space left"):
        cli.run(["fails"])
