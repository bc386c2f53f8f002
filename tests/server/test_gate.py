"""Promise: the gate lets in who holds a credential, and to what needs none, from an address and page of ours; function and server agree."""

from __future__ import annotations

import socket
from collections import Counter
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path

import anyio
import pytest

from mirrord.clock import SystemClock
from mirrord.place import Place
from mirrord.server.gate import (
    LOCAL_CREDENTIAL,
    Admitted,
    Authority,
    Credential,
    FileAdmitted,
    GatePolicy,
    GateRequest,
    Origin,
    PairingAdmitted,
    Refused,
    admit,
    admit_local,
    digest_of,
    parse_authority,
    parse_origin,
    policy_for,
)
from mirrord.server.pages import Pages, read_pages
from mirrord.server.rate import BURST, LINES, LINES_PER_SECOND, FailureRate
from mirrord.server.socket import DEVICE_PLACES
from mirrord.settings import Settings
from mirrord.testing import FakeClock, running_daemon
from mirrord.wire.roles import Role
from tests.server.gate_table import FILE, PAIRING, SCRIPT, TABLE, Door, Row

PORT = 17_673
CONTROLLER = "mrd_controller"
FILES = frozenset(("/", SCRIPT))
TOKENS = {"controller": CONTROLLER, "observer": "mrd_observer", "revoked": "mrd_revoked"}
IDS = {"controller": "id-1", "observer": "id-2"}


def known() -> tuple[Credential, ...]:
    """What the store would give."""
    return (
        Credential("ada", Role.CONTROLLER, digest_of(TOKENS["controller"]), IDS["controller"]),
        Credential("wall", Role.OBSERVER, digest_of(TOKENS["observer"]), IDS["observer"]),
    )


def filled(text: str, port: int, tokens: dict[str, str]) -> str:
    """The text with the port and the tokens in their places."""
    controller = tokens["controller"]
    names = tokens | {
        "controller_upper": controller.swapcase(),
        "controller_prefix": controller[:-1],
        "controller_digest": digest_of(controller).hex(),
    }
    for name, token in names.items():
        text = text.replace(f"{{{name}}}", token)
    return text.replace("PORT", str(port))


def request_of(row: Row, port: int = PORT, tokens: dict[str, str] = TOKENS) -> GateRequest:
    """The row's request as the server hands it to the gate."""
    headers = tuple((name, filled(value, port, tokens)) for name, value in row.headers)
    return GateRequest(row.method, filled(row.target, port, tokens), headers)


# ---- the pure function -----------------------------------------------------------------------------------------------


def test_the_table_has_at_least_sixty_rows_and_no_name_twice() -> None:
    assert len(TABLE) >= 60
    assert len({row.name for row in TABLE}) == len(TABLE)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_every_row_is_decided_as_the_table_says(row: Row) -> None:
    request = request_of(row)
    verdict = admit(request, policy_for(PORT, known(), files=FILES, crowded=frozenset(IDS[name] for name in row.crowded)))
    if isinstance(row.expected, Role):
        assert isinstance(verdict, Admitted)
        assert verdict.role is row.expected
    elif row.expected is FILE:
        assert verdict == FileAdmitted(request.target)
    elif row.expected is PAIRING:
        assert verdict == PairingAdmitted(*request.values("host"))
    else:
        assert isinstance(verdict, Refused)
        assert verdict.status is row.expected


@pytest.mark.parametrize("row", [row for row in TABLE if isinstance(row.expected, Role)], ids=lambda row: row.name)
def test_nobody_gets_in_where_no_credential_is_known(row: Row) -> None:
    assert admit(request_of(row), policy_for(PORT, ())) == Refused(HTTPStatus.UNAUTHORIZED, "credential")


@pytest.mark.parametrize(
    ("policy", "status"),
    [
        (policy_for(PORT, known(), throttled=True, full=True), HTTPStatus.TOO_MANY_REQUESTS),
        (policy_for(PORT, known(), full=True), HTTPStatus.SERVICE_UNAVAILABLE),
    ],
)
def test_rate_comes_before_the_credential_and_capacity_after_it(policy: GatePolicy, status: HTTPStatus) -> None:
    good, bad = TABLE[0], replace(TABLE[0], credential=())
    verdict = admit(request_of(good), policy)
    assert isinstance(verdict, Refused)
    assert verdict.status is status
    verdict = admit(request_of(bad), policy)
    assert isinstance(verdict, Refused)
    assert verdict.status is (status if policy.throttled else HTTPStatus.UNAUTHORIZED)


@pytest.mark.parametrize("door", Door)
def test_what_needs_no_credential_is_slowed_all_the_same(door: Door) -> None:
    row = next(row for row in TABLE if row.expected is door)
    verdict = admit(request_of(row), policy_for(PORT, known(), files=FILES, throttled=True, pairing_full=True))
    assert verdict == Refused(HTTPStatus.TOO_MANY_REQUESTS, "rate")


def test_pairing_has_places_of_its_own_and_files_need_none() -> None:
    pair, file = (request_of(next(row for row in TABLE if row.expected is door)) for door in (PAIRING, FILE))
    for full, pairing_full in ((True, False), (False, True)):
        policy = policy_for(PORT, known(), files=FILES, full=full, pairing_full=pairing_full)
        assert isinstance(admit(pair, policy), Refused) is pairing_full
        assert isinstance(admit(file, policy), FileAdmitted)


def test_a_wrong_host_or_origin_is_told_so_even_while_throttled() -> None:
    policy = policy_for(PORT, known(), files=FILES, throttled=True)
    for row in TABLE:
        if row.expected in (HTTPStatus.FORBIDDEN, HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND):
            verdict = admit(request_of(row), policy)
            assert isinstance(verdict, Refused)
            assert verdict.status is row.expected


def test_every_credential_is_compared_whichever_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def compare(left: bytes, right: bytes) -> bool:
        assert len(left) == len(right) == 32
        compared.append(1)
        return left == right

    monkeypatch.setattr("mirrord.server.gate.hmac.compare_digest", compare)
    for credential in (("Authorization", f"Bearer {CONTROLLER}"), ("Authorization", "Bearer x"), ("X-None", "")):
        compared.clear()
        admit(request_of(replace(TABLE[0], credential=(credential,))), policy_for(PORT, known()))
        assert len(compared) == len(known())


def test_no_token_is_not_the_token_whose_digest_is_that_of_nothing() -> None:
    empty = Credential("empty", Role.CONTROLLER, digest_of(""), "id")
    verdict = admit(request_of(replace(TABLE[0], credential=())), policy_for(PORT, (empty,)))
    assert isinstance(verdict, Refused)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("LocalHost:80", ("localhost", 80)),
        ("localhost", ("localhost", None)),
        ("[::1]:0", ("[::1]", 0)),
        ("localhost:65535", ("localhost", 65_535)),
        ("localhost:65536", None),
        ("localhost:", None),
        ("localhost:-1", None),
        ("localhost:٣", None),
        ("\u212aelvin:1", None),
        (" localhost:1", None),
        ("localhost:1\n", None),
        (":1", None),
        ("", None),
    ],
)
def test_an_authority_is_parsed_strictly(text: str, parsed: tuple[str, int | None] | None) -> None:
    assert parse_authority(text) == parsed


def test_default_ports_are_the_same_origin_and_nothing_else_is() -> None:
    assert parse_origin("http://a.test") == parse_origin("http://a.test:80") == Origin("http", Authority("a.test", 80))
    assert parse_origin("https://a.test") == Origin("https", Authority("a.test", 443))
    for none in ("null", "http:/a.test", "http://", "http://a.test/", "ftp://a.test", "://a.test"):
        assert parse_origin(none) is None


# ---- the control socket ----------------------------------------------------------------------------------------------


def test_the_control_socket_needs_no_token_but_the_path_the_user_and_a_place() -> None:
    plain = request_of(replace(TABLE[0], credential=()))
    assert admit_local(plain, same_user=True, full=False, role=Role.OWNER) == Admitted(Role.OWNER, LOCAL_CREDENTIAL)
    assert admit_local(plain, same_user=True, full=False, role=Role.OBSERVER) == Admitted(Role.OBSERVER, LOCAL_CREDENTIAL)
    for request, same_user, full, status in (
        (replace(plain, target="/"), True, False, HTTPStatus.NOT_FOUND),
        (replace(plain, target="/v1/pair"), True, False, HTTPStatus.NOT_FOUND),
        (replace(plain, headers=()), True, False, HTTPStatus.UPGRADE_REQUIRED),
        (replace(plain, headers=(*plain.headers, ("Origin", f"http://127.0.0.1:{PORT}"))), True, False, HTTPStatus.FORBIDDEN),
        (plain, False, False, HTTPStatus.UNAUTHORIZED),
        (plain, True, True, HTTPStatus.SERVICE_UNAVAILABLE),
    ):
        verdict = admit_local(request, same_user=same_user, full=full, role=Role.OWNER)
        assert isinstance(verdict, Refused)
        assert verdict.status is status


# ---- the real server -------------------------------------------------------------------------------------------------


def wire_request(row: Row, port: int, tokens: dict[str, str]) -> bytes:
    """The row as bytes on a socket."""
    request = request_of(row, port, tokens)
    lines = [f"{request.method} {request.target} HTTP/1.1", *(f"{name}: {value}" for name, value in request.headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def ask(port: int, request: bytes) -> tuple[int, bytes]:
    """Status and body of the answer; the body is empty after 101."""
    async with await anyio.connect_tcp("127.0.0.1", port) as stream:
        await stream.send(request)
        answer = b""
        with anyio.fail_after(5):
            while b"\r\n\r\n" not in answer:
                answer += await stream.receive()
            head, _, body = answer.partition(b"\r\n\r\n")
            status = int(head.split()[1])
            while status != HTTPStatus.SWITCHING_PROTOCOLS:
                try:
                    body += await stream.receive()
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    break
    assert b"server:" not in head.lower()
    assert b"bearer." not in head.lower()
    return status, body


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    """A web client of the files that the table names."""
    for name in ("index.html", SCRIPT.lstrip("/")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    return read_pages(tmp_path)


async def test_the_real_server_answers_every_row_as_the_table_says(own_settings: Settings, own_place: Place, pages: Pages) -> None:
    wrong: list[str] = []
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        daemon.server.rate = FailureRate(burst=1_000_000)
        daemon.server.pages = pages
        minted = {name: await own_place.store.mint(name, role) for name, role in ROLES.items()}
        await own_place.store.revoke("revoked")
        tokens = {name: made.token for name, made in minted.items()}
        ids = {credential.name: credential.device for credential in daemon.desk.credentials()}
        for row in TABLE:
            # Those before have closed theirs, but the daemon may not have noticed.
            daemon.server._held = Counter({ids[name]: DEVICE_PLACES for name in row.crowded})
            status, body = await ask(daemon.runner.port, wire_request(row, daemon.runner.port, tokens))
            expected = STATUS.get(row.expected, row.expected)
            if status != expected or any(token.encode() in body for token in tokens.values()):
                wrong.append(f"{row.name}: {status}, not {expected.value}")
    assert wrong == []


STATUS: dict[object, HTTPStatus] = {
    Role.CONTROLLER: HTTPStatus.SWITCHING_PROTOCOLS,
    Role.OBSERVER: HTTPStatus.SWITCHING_PROTOCOLS,
    PAIRING: HTTPStatus.SWITCHING_PROTOCOLS,
    FILE: HTTPStatus.OK,
}
ROLES = {"controller": Role.CONTROLLER, "observer": Role.OBSERVER, "revoked": Role.CONTROLLER}


async def test_missing_wrong_and_revoked_credentials_get_the_same_answer(own_settings: Settings, own_place: Place) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        revoked = (await own_place.store.mint("revoked", Role.CONTROLLER)).token
        await own_place.store.revoke("revoked")
        answers = set()
        for credential in ((), (("Authorization", "Bearer mrd_wrong"),), (("Authorization", f"Bearer {revoked}"),)):
            row = replace(TABLE[0], credential=credential)
            answers.add(await ask(daemon.runner.port, wire_request(row, daemon.runner.port, TOKENS)))
    assert answers == {(401, b"a valid credential is needed\n")}


async def test_an_address_that_fails_too_often_is_not_asked_for_its_credential_any_more(own_settings: Settings, own_place: Place) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        daemon.server.rate = FailureRate(burst=3, per_second=0.0)
        token = (await own_place.store.mint("controller", Role.CONTROLLER)).token
        good = wire_request(TABLE[0], daemon.runner.port, TOKENS | {"controller": token})
        bad = wire_request(replace(TABLE[0], credential=()), daemon.runner.port, TOKENS)
        statuses = [(await ask(daemon.runner.port, request))[0] for request in (bad, good, bad, bad, bad, good)]
    assert statuses == [401, 101, 401, 401, 429, 429]


async def test_a_web_page_that_has_itself_refused_holds_nobody_off(own_settings: Settings, own_place: Place, pages: Pages) -> None:
    """It needs no credential for that, and comes from the address of every device."""
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        daemon.server.rate = FailureRate(per_second=0.0)
        daemon.server.pages = pages
        port = daemon.runner.port
        refused = [row for row in TABLE if row.expected in (HTTPStatus.FORBIDDEN, HTTPStatus.BAD_REQUEST)]
        assert len(refused) > BURST
        for row in refused:
            assert (await ask(port, wire_request(row, port, TOKENS)))[0] == row.expected
        pair, file = (wire_request(next(row for row in TABLE if row.expected is door), port, TOKENS) for door in (PAIRING, FILE))
        missing = wire_request(replace(TABLE[0], credential=()), port, TOKENS)
        statuses = [(await ask(port, request))[0] for request in (pair, file, missing)]
    assert statuses == [101, 200, 401]


async def test_a_web_page_that_has_itself_refused_again_and_again_leaves_the_log_to_others(
    own_settings: Settings, own_place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    foreign = next(row for row in TABLE if row.expected is HTTPStatus.FORBIDDEN and dict(row.headers).get("Origin", "").startswith("http"))
    async with running_daemon(own_place, own_settings, clock) as daemon:
        port = daemon.runner.port

        async def refused(times: int) -> list[str]:
            caplog.clear()
            for _ in range(times):
                await ask(port, wire_request(foreign, port, TOKENS))
            return [message for message in caplog.messages if message.startswith("gate: refused")]

        assert len(await refused(LINES + 30)) == LINES
        assert await refused(30) == []
        clock.advance(1 / LINES_PER_SECOND)
        assert await refused(30) == ["gate: refused status=403 reason=origin leftOut=60"]
        assert daemon.server.refused == LINES + 90, "all of them are counted"


async def test_a_request_that_is_no_http_gets_no_way_in(own_settings: Settings, own_place: Place) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        for garbage in (b"\x00" * 100 + b"\r\n\r\n", b"GET /v1/ws HTTP/1.1\r\nHost : x\r\n\r\n", b"GET /v1/ws HTTP/9\r\n\r\n"):
            async with await anyio.connect_tcp("127.0.0.1", daemon.runner.port) as stream:
                await stream.send(garbage)
                with anyio.fail_after(5):
                    try:
                        answer = await stream.receive()
                    except (anyio.EndOfStream, anyio.BrokenResourceError):
                        continue
                assert answer.startswith(b"HTTP/1.1 4")


async def test_the_listener_is_on_the_loopback_address_only(own_settings: Settings, own_place: Place) -> None:
    assert own_place.network.family is socket.AF_INET
    assert own_place.network.getsockname()[0] == own_settings.host == "127.0.0.1"
