"""Promise: docs/protocol.md shows every message with an example from the fixtures, and its tables and numbers are those of the code."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from pathlib import Path
from typing import Any, get_args

import pytest

from bridge.limits import CONTENT_BYTES, KIB, OPTIONS_SENT, PIECE_BYTES
from mirrord.client.pending import RETRY_SECONDS
from mirrord.core.answers import INPUT_BYTES
from mirrord.pairing.tokens import TOKEN_SECONDS
from mirrord.server import client as connection
from mirrord.server.rate import BURST
from mirrord.server.socket import _BODIES, DEVICE_PLACES, LOCAL_PLACES, PAIRING_PLACES, PING_SECONDS
from mirrord.settings import DEFAULT_PORT
from mirrord.wire import limits
from mirrord.wire import messages as wire
from mirrord.wire.pairing import PAIRED_AGAIN, REVOKED
from mirrord.wire.roles import MINIMUM_COMMAND_ROLE, MINIMUM_ROLE, Role

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "protocol.md").read_text("utf-8")
FIXTURES: list[dict[str, Any]] = [
    json.loads(line)["message"] for line in (ROOT / "fixtures" / "wire" / "messages.jsonl").read_text("utf-8").splitlines()
]
SHOWN: list[dict[str, Any]] = [
    json.loads(line) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()
]
TYPES = sorted(kind.__struct_config__.tag for union in (wire.ClientMessage, wire.ServerMessage) for kind in get_args(union))


def section(heading: str) -> str:
    """The text under a heading, up to the next one of any level."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, heading
    return found[1]


def test_every_example_on_the_page_is_a_fixture_and_every_fixture_is_on_the_page() -> None:
    assert [example for example in SHOWN if example not in FIXTURES] == []
    assert [fixture for fixture in FIXTURES if fixture not in SHOWN] == []


@pytest.mark.parametrize("kind", TYPES)
def test_a_message_has_a_section_with_an_example_of_it(kind: str) -> None:
    assert f'"type": "{kind}"' in section(kind)


def test_every_field_of_every_message_occurs_in_an_example_or_in_words() -> None:
    missing = []
    for union in (wire.ClientMessage, wire.ServerMessage):
        for kind in get_args(union):
            tag = kind.__struct_config__.tag
            text = section(tag)
            missing += [f"{tag}.{name}" for name in kind.__struct_encode_fields__ if f'"{name}"' not in text and f"`{name}`" not in text]
    assert missing == []


def test_the_roles_table_says_who_may_send_what() -> None:
    rows = {role: line for line in section("Roles").splitlines() for role in Role if line.startswith(f"| `{role.name.lower()}`")}
    assert set(rows) == set(Role)
    for kind, role in MINIMUM_ROLE.items():
        if kind != "command":
            assert f"`{kind}`" in rows[role]
    for name, role in MINIMUM_COMMAND_ROLE.items():
        assert f"`{name}`" in rows[role].partition("command")[2]
        assert f"| `{name}` |" in section("command")


def test_the_gates_table_names_every_status_in_the_order_of_the_checks() -> None:
    table = section("The gate")
    checks = re.findall(r"^\| (\w+) \|.*\|", table, re.MULTILINE)
    assert checks == ["check", "path", "upgrade", "Host", "Origin", "rate", "credential", "capacity"]
    assert {int(status) for status in re.findall(r"\b([45]\d\d)\b", table)} == {status.value for status in _BODIES}
    assert HTTPStatus.UNAUTHORIZED in _BODIES


def test_the_close_codes_are_those_of_the_code() -> None:
    table = section("Close codes")
    for code in (connection.NORMAL, connection.GOING_AWAY, connection.SLOW, connection.POLICY, 1002, 1003, 1007, 1009, 1011):
        assert re.search(rf"\b{code}\b", table)
    for reason in (
        REVOKED,
        PAIRED_AGAIN,
        "slow: pending",
        "slow: age",
        "the daemon stops",
        f"no hello within {limits.HELLO_SECONDS:.0f} s",
    ):
        assert f"`{reason}`" in table


@pytest.mark.parametrize(
    ("words", "heading"),
    [
        (f"`PORT` is {DEFAULT_PORT}", "Transport"),
        (f"at most {limits.CLIENT_FRAME_BYTES // 1024**2} MiB", "Transport"),
        (f"ping every {PING_SECONDS:.0f} s", "Transport"),
        (f"failed {BURST} times", "The gate"),
        (f"fewer than {limits.CLIENTS - LOCAL_PLACES} connections, and fewer than {DEVICE_PLACES} of the same device", "The gate"),
        (f"on the control socket fewer than {limits.CLIENTS - LOCAL_PLACES}, for the owner {limits.CLIENTS}", "The gate"),
        (f"for `/v1/pair` fewer than {PAIRING_PLACES}", "The gate"),
        (f"good for {TOKEN_SECONDS / 60:.0f} minutes", "The gate"),
        (f"within {limits.HELLO_SECONDS:.0f} s", "Life of a connection"),
        (f"{limits.OUTBOX_BYTES // 1024**2} MiB and {limits.OUTBOX_SECONDS:.0f} s", "Life of a connection"),
        (f"the last {limits.JOURNAL_EVENTS} of a session", "Life of a connection"),
        (f"At most {limits.CAPABILITIES} of at most {limits.CAPABILITY_CHARS} characters", "hello"),
        (f"`client.name` ({limits.NAME_CLUSTERS} characters)", "hello"),
        (f"At most {limits.SUBSCRIPTIONS} sessions", "subscribe"),
        (f"at most {limits.RESPONSE_ID_CHARS} characters", "extension_ui_response"),
        (f"one line of at most {INPUT_BYTES // KIB} KiB", "extension_ui_response"),
        (f"the text, at most {CONTENT_BYTES // KIB // KIB} MiB", "extension_ui_response"),
        (f"at most {PIECE_BYTES // KIB} KiB as JSON", "content_part"),
        (f"at most {OPTIONS_SENT} of `optionCount`", "extension_ui_request"),
        (f"(at most {OPTIONS_SENT} from there on)", "command"),
        (f"over {limits.PREFILL_INLINE_BYTES // KIB} KiB comes in", "extension_ui_request"),
        (f"of a session take at most {limits.PROMPTS_BYTES // KIB // KIB} MiB", "extension_ui_request"),
        (f"told in at most {limits.CUT_PROMPT_BYTES // KIB} KiB", "extension_ui_request"),
        (f"without one for {RETRY_SECONDS:.0f} s", "Life of a connection"),
    ],
)
def test_a_number_on_the_page_is_the_constant(words: str, heading: str) -> None:
    assert words in " ".join(section(heading).split())
