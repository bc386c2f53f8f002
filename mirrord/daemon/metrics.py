"""What a monitor reads: counters and gauges in Prometheus' text format. No label names a session, a folder or a device. Pure.

The format is a few lines of text, so it is written here; tests read it with Prometheus' own parser.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric. A counter's name ends in `_total`; each sample has labels and a number."""

    name: str
    kind: Literal["counter", "gauge"]
    help: str
    samples: tuple[tuple[Labels, float], ...]


def exposition(metrics: Iterable[Metric]) -> str:
    """The metrics as a monitor reads them; those without a sample are left out."""
    return "".join(f"{line}\n" for metric in metrics if metric.samples for line in _lines(metric))


def metrics_of(status: Mapping[str, Any]) -> Iterator[Metric]:
    """Everything that `mirrord status --json` counts."""
    sessions, clients, memory = status["sessions"], status["clients"], status["memory"]
    yield Metric("mirrord_build_info", "gauge", "The daemon's version.", (({"version": status["version"]}, 1),))
    yield _one("mirrord_uptime_seconds", "gauge", "How long the daemon runs, sleep of the machine included.", status["uptime"])
    yield _one("mirrord_resident_memory_bytes", "gauge", "Memory of the daemon that is in RAM.", memory["rss"])
    yield _by("mirrord_sessions", "gauge", "Sessions that are listed.", "state", Counter(each["status"]["state"] for each in sessions))
    yield _one("mirrord_prompts_waiting", "gauge", "Prompts that are open.", sum(each["openPrompts"] for each in sessions))
    yield _by("mirrord_clients", "gauge", "Clients that are connected.", "role", Counter(each["role"] for each in clients))
    yield _one("mirrord_links", "gauge", "Extensions that are connected.", sum("refused" not in each for each in status["links"]))
    moved = status["moved"]
    yield Metric(
        "mirrord_messages_total",
        "counter",
        "Events and commands that went in or out.",
        tuple((_FLOWS[name], flow["count"]) for name, flow in moved.items()),
    )
    yield Metric(
        "mirrord_last_message_timestamp_seconds",
        "gauge",
        "When one went last, in seconds since the epoch.",
        tuple((_FLOWS[name], flow["at"] / 1000) for name, flow in moved.items() if flow["at"] is not None),
    )
    yield _by("mirrord_held_bytes", "gauge", "What is held in memory, as JSON.", "kind", memory["held"])
    most = {"session": memory["mostPerSession"], "sessions": memory["mostOfSessions"], "client": memory["mostPerClient"]}
    yield _by("mirrord_held_bytes_most", "gauge", "Bounds of what is held: of one session, of all sessions, of one client.", "of", most)
    counters = status["counters"]
    for name, (counter, about) in _COUNTERS.items():
        yield _one(f"mirrord_{counter}_total", "counter", about, counters[name])
    hook = status["hook"]
    yield _by("mirrord_hook_runs_total", "counter", "Runs of notify.command.", "outcome", {"ok": hook["runs"], "failed": hook["failures"]})


_FLOWS = {
    "fromTerminals": {"peer": "terminal", "direction": "in"},
    "toTerminals": {"peer": "terminal", "direction": "out"},
    "fromClients": {"peer": "client", "direction": "in"},
    "toClients": {"peer": "client", "direction": "out"},
}

_COUNTERS = {
    "gateRefused": ("gate_refused", "Requests that the gate turned away."),
    "clientsEvicted": ("clients_evicted", "Clients that were cut because they did not read."),
    "notificationsDropped": ("notifications_dropped", "Notifications that found no room."),
    "surfacesGivenWay": ("surfaces_given_way", "Widgets and statuses of living sessions that gave way to newer ones."),
    "memoryGivenWay": ("memory_given_way", "Parts of sessions that gave way because all sessions together held too much."),
    "linksBroken": ("links_broken", "Links to extensions that broke the protocol."),
    "unknownMessages": ("unknown_messages", "Messages of extensions that were of an unknown type."),
}
"""Of status → name and help."""


def _one(name: str, kind: Literal["counter", "gauge"], about: str, value: float) -> Metric:
    return Metric(name, kind, about, (({}, value),))


def _by(name: str, kind: Literal["counter", "gauge"], about: str, label: str, values: Mapping[str, float]) -> Metric:
    return Metric(name, kind, about, tuple(({label: key}, value) for key, value in sorted(values.items())))


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {_escaped(metric.help)}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for labels, value in metric.samples:
        inner = ",".join(f'{name}="{_quoted(text)}"' for name, text in labels.items())
        yield f"{metric.name}{{{inner}}} {value!r}" if inner else f"{metric.name} {value!r}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', '\\"')
