"""Promise: one typed line answers all questions of an ask, each as written, or is explained and not sent."""

from __future__ import annotations

import pytest

from mirrord.attach.ask import Answers, Explain, read_ask
from mirrord.wire.messages import ExtensionUIRequest
from tests.cli.prompts import BASE, CHECKS, NOTE, ask, question

THREE = ask(BASE, CHECKS, NOTE)
CLOSED = ask(BASE, CHECKS, NOTE, allow_custom=False)
NUMBERS = question("n", "3", "1")
TWINS = question("t", "same", "same")


@pytest.mark.parametrize(
    ("prompt", "line", "answers"),
    [
        (THREE, "2 ; 1,3 ; my own text", {"base": "v:develop", "checks": ("v:lint", "v:tests"), "note": "my own text"}),
        (THREE, "  2  ;  1 , 3 ; x  ", {"base": "v:develop", "checks": ("v:lint", "v:tests"), "note": "x"}),
        (THREE, "- ; 2 ; -", {"checks": ("v:types",)}),
        (THREE, " ; 2 ; ", {"checks": ("v:types",)}),
        (THREE, "; 2 ;", {"checks": ("v:types",)}),
        (THREE, "- ; - ; -", {}),
        (THREE, "/ignore", {}),
        (THREE, "main ; types ; -", {"base": "v:main", "checks": ("v:types",)}),
        (THREE, "trunk ; all of them ; -", {"base": "trunk", "checks": ("all of them",)}),
        (THREE, "=2 ; =- ; =a", {"base": "2", "checks": ("-",), "note": "a"}),
        (THREE, "1 ; 1 ; a;b c; d", {"base": "v:main", "checks": ("v:lint",), "note": "a;b c; d"}),
        (THREE, "1 ; 3,1 ; 7", {"base": "v:main", "checks": ("v:tests", "v:lint"), "note": "7"}),
        (CLOSED, "1 ; 2 ; free", {"base": "v:main", "checks": ("v:types",), "note": "free"}),
        (ask(BASE), "2", {"base": "v:develop"}),
        (ask(BASE), "one ; two", {"base": "one ; two"}),
        (ask(CHECKS), "1,2", {"checks": ("v:lint", "v:types")}),
        (ask(NOTE), "1,2", {"note": "1,2"}),
        (ask(NUMBERS), "1", {"n": "v:1"}),
        (ask(NUMBERS), "2", {"n": "v:1"}),
        (ask(TWINS), "2", {"t": "v:same"}),
    ],
)
def test_a_line_that_fits(prompt: ExtensionUIRequest, line: str, answers: Answers) -> None:
    assert read_ask(prompt, line) == answers


@pytest.mark.parametrize(
    ("prompt", "line", "sentence"),
    [
        (THREE, "2", "There are 3 questions and this line answers 1"),
        (THREE, "2 ; 1", "There are 3 questions and this line answers 2"),
        (THREE, "2;1;x", "There are 3 questions and this line answers 1"),
        (THREE, "2 ; 1 ; x ; y", "There are 3 questions and this line answers 4"),
        (THREE, "3 ; 1 ; x", "Question 1: write a number from 1 to 2, or = before it"),
        (THREE, "0 ; 1 ; x", "Question 1: write a number from 1 to 2"),
        (THREE, "1,2 ; 1 ; x", "Question 1: only one of the options"),
        (THREE, "1 ; 1,4 ; x", "Question 2: write a number from 1 to 3"),
        (THREE, "1 ; 2,2 ; x", "Question 2: an option is named twice"),
        (THREE, "1 ; 1 ; =", "Question 3: there is no text after ="),
        (CLOSED, "trunk ; 1 ; x", "Question 1: write a number from 1 to 2 or the exact text"),
        (CLOSED, "=2 ; 1 ; x", "Question 1: write a number from 1 to 2 or the exact text"),
        (CLOSED, "3 ; 1 ; x", "Question 1: write a number from 1 to 2. Nothing was sent."),
        (ask(TWINS), "same", "2 options have this text; write the number. Nothing was sent."),
    ],
)
def test_a_line_that_does_not_fit(prompt: ExtensionUIRequest, line: str, sentence: str) -> None:
    explained = read_ask(prompt, line)
    assert isinstance(explained, Explain)
    assert explained.text.startswith(sentence)
    assert explained.text.endswith("Nothing was sent.")
