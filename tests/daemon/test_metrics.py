"""Promise: a monitor can read every number that status has, on the control socket and nowhere else, and no label names anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from prometheus_client.parser import text_string_to_metric_families

from mirrord.client import Local, connect
from mirrord.clock import SystemClock
from mirrord.daemon.metrics import Metric, exposition, metrics_of
from mirrord.place import Place
from mirrord.server.gate import Admitted, GateRequest, MetricsAdmitted, Refused, admit, admit_local, policy_for
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello, running_daemon
from mirrord.wire.limits import SESSIONS_BYTES
from mirrord.wire.roles import Role


def read(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample, as Prometheus' own parser reads it."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_the_text_is_what_prometheus_reads() -> None:
    metrics = [
        Metric("a_total", "counter", 'Help with \\ and\na "line".', (({}, 3),)),
        Metric("b", "gauge", "Labels.", (({"x": 'quote " back \\ line \n', "y": "z"}, 1.5), ({"x": "", "y": "ü"}, 1e300))),
        Metric("c", "gauge", "Nothing.", ()),
    ]
    families = {family.name: family for family in text_string_to_metric_families(exposition(metrics))}
    assert {name: (family.type, family.documentation) for name, family in families.items()} == {
        "a": ("counter", 'Help with \\ and\na "line".'),
        "b": ("gauge", "Labels."),
    }
    assert [(sample.labels, sample.value) for sample in families["b"].samples] == [
        ({"x": 'quote " back \\ line \n', "y": "z"}, 1.5),
        ({"x": "", "y": "ü"}, 1e300),
    ]


async def get(socket: Path, request: str) -> tuple[str, str, str]:
    """Status line, headers and body."""
    async with await anyio.connect_unix(str(socket)) as stream:
        await stream.send(request.encode())
        said = b""
        with anyio.fail_after(10):
            try:
                while True:
                    said += await stream.receive()
            except anyio.EndOfStream:
                pass
    head, _, body = said.decode().partition("\r\n\r\n")
    line, _, headers = head.partition("\r\n")
    return line, headers.lower(), body


async def test_a_daemon_tells_its_metrics_to_its_owner(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    paths = own_settings.paths
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(paths.bridge_socket, hello(pi_pid)),
        connect(Local(paths.control_socket), name="my-name", kind="cli") as me,
    ):
        line, headers, body = await get(paths.control_socket, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert line == "HTTP/1.1 200 OK"
        assert "content-type: text/plain; version=0.0.4; charset=utf-8" in headers
        samples = read(body)
        status: dict[str, Any] = await me.request("status", dict)
        assert samples["mirrord_sessions", (("state", "idle"),)] == 1
        assert samples["mirrord_links", ()] == 1
        assert samples["mirrord_clients", (("role", "owner"),)] == 1
        assert samples["mirrord_messages_total", (("direction", "in"), ("peer", "terminal"))] > 0
        assert samples["mirrord_resident_memory_bytes", ()] > 10_000_000
        assert samples["mirrord_held_bytes_most", (("of", "sessions"),)] == status["memory"]["mostOfSessions"] == SESSIONS_BYTES
        assert {name for name, _ in samples} == {
            sample.name for family in text_string_to_metric_families(exposition(metrics_of(status))) for sample in family.samples
        }
        for secret in ("my-name", "/home/ada", "garden", str(pi_pid), str(paths.state_dir)):
            assert secret not in body
        assert (await get(paths.control_socket, "GET /metrics?x HTTP/1.1\r\nHost: localhost\r\n\r\n"))[0].startswith("HTTP/1.1 404")
        origin = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.test\r\n\r\n"
        assert (await get(paths.control_socket, origin))[0].startswith("HTTP/1.1 403")
        async with await anyio.connect_tcp("127.0.0.1", daemon.runner.port) as stream:
            await stream.send(f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{daemon.runner.port}\r\n\r\n".encode())
            assert (await stream.receive()).startswith(b"HTTP/1.1 404")


def request(method: str = "GET", target: str = "/metrics", *headers: tuple[str, str]) -> GateRequest:
    return GateRequest(method, target, headers)


@pytest.mark.parametrize(
    ("asked", "same_user", "role", "reason"),
    [
        (request(), True, Role.OBSERVER, "role"),
        (request(), True, Role.CONTROLLER, "role"),
        (request(), False, Role.OWNER, "credential"),
        (request("POST"), True, Role.OWNER, "path"),
        (request("HEAD"), True, Role.OWNER, "path"),
        (request("GET", "/metrics/"), True, Role.OWNER, "path"),
        (request("GET", "/metrics", ("Origin", "null")), True, Role.OWNER, "origin"),
    ],
)
def test_the_gate_lets_nobody_else_read_them(asked: GateRequest, same_user: bool, role: Role, reason: str) -> None:
    verdict = admit_local(asked, same_user=same_user, full=False, role=role)
    assert isinstance(verdict, Refused)
    assert verdict.reason == reason


def test_a_daemon_that_is_full_can_still_be_measured_and_the_network_has_no_such_path() -> None:
    assert admit_local(request(), same_user=True, full=True, role=Role.OWNER) == MetricsAdmitted()
    network = admit(request("GET", "/metrics", ("Host", "localhost:1")), policy_for(1, ()))
    assert not isinstance(network, Admitted)
    assert isinstance(network, Refused)
    assert network.reason == "path"
