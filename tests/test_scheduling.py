"""Promise: tests that share a running Pi are one unit of work, whatever file they are in."""

from __future__ import annotations

import pytest

from tests.scheduling import unit


@pytest.mark.parametrize(
    ("nodeid", "name"),
    [
        ("tests/e2e/test_a.py::test_x[pi-1.6.0-fullscreen@e]", "pi-1.6.0-fullscreen@e"),
        ("tests/e2e/test_b.py::test_y[pi-1.6.0-fullscreen@e-select-2]", "pi-1.6.0-fullscreen@e"),
        ("tests/e2e/test_b.py::test_y[select-pi-0.73.1@attached]", "pi-0.73.1@attached"),
        ("tests/e2e/test_c.py::test_z[pi-0.73.1]", "tests/e2e/test_c.py::test_z[pi-0.73.1]"),
        ("tests/core/test_d.py::test_mail[ada@example]", "tests/core/test_d.py"),
        ("tests/core/test_d.py::Group::test_w", "tests/core/test_d.py"),
    ],
)
def test_the_unit_of_a_test(nodeid: str, name: str) -> None:
    assert unit(nodeid) == name
