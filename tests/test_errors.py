"""Promise: everything a user can cause is a MirrordError with one sentence and an exit code, and the tree in the docstring is the tree."""

from __future__ import annotations

import inspect
import re

import mirrord.client.errors
from mirrord import errors
from mirrord.errors import MirrordError


def own_classes() -> dict[str, type[MirrordError]]:
    """Every error that the module defines."""
    return {
        name: member
        for name, member in inspect.getmembers(errors, inspect.isclass)
        if issubclass(member, MirrordError) and member.__module__ == errors.__name__
    }


def test_the_tree_drawn_in_the_docstring_names_every_error_once() -> None:
    drawn = re.findall(r"[├└]── (\w+)\b", inspect.getdoc(errors) or "")
    assert sorted(name for name in drawn if name != "mirrord") == sorted(set(own_classes()) - {"MirrordError"})


def test_every_error_of_the_project_has_an_exit_code_that_is_not_success() -> None:
    everywhere = [*own_classes().values(), *(vars(mirrord.client.errors)[name] for name in ("DaemonNotRunning", "NotADaemon"))]
    assert all(error.exit_code in (1, 2) for error in everywhere)
