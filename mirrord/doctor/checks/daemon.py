"""The daemon: its place, its answer, its port."""

from __future__ import annotations

from collections.abc import Iterator

from mirrord.doctor.checks.service import INSTALL, installing
from mirrord.doctor.facts import Facts, Listener, PortFound
from mirrord.doctor.row import Row, neutral, ok, problem, warning
from mirrord.settings import SPARE_PORTS
from mirrord.words.durations import duration

_START = "mirrord serve --detach"


def lock(facts: Facts) -> Iterator[Row]:
    """Who holds the daemon's place is a daemon, and answers there."""
    found = facts.lock
    if found is None:
        return
    about, holder = "Daemon's place", found.holder
    if holder is None and not found.held:
        if facts.awaited:
            yield neutral("lock", about, "no daemon runs; systemd has its sockets, and starts one for whoever connects")
        elif found.control == "answers":
            yield problem("lock", about, f"{found.by or 'another program'} accepts on {facts.paths.control_socket}", "stop that program")
        else:
            yield neutral("lock", about, "no daemon runs; `mirrord pi` starts one", _START)
    elif holder is None:
        yield problem(
            "lock", about, f"a process holds {facts.paths.lock_file} and did not note who it is", f"fuser -v '{facts.paths.lock_file}'"
        )
    elif found.held is False:
        yield problem("lock", about, f"process {holder.pid} noted itself as the daemon and does not hold the lock", "mirrord restart")
    elif found.control != "answers" or found.bridge != "answers":
        words = {"refused": "nobody accepts on it", "absent": "it is gone", "silent": "nothing comes back", "answers": ""}
        silent, how = (
            (facts.paths.control_socket, found.control) if found.control != "answers" else (facts.paths.bridge_socket, found.bridge)
        )
        yield problem("lock", about, f"the daemon (pid {holder.pid}) runs, but {silent}: {words[how]}", "mirrord restart")
    else:
        yield ok("lock", about, f"pid {holder.pid}, started at {holder.start_time or '?'}, holds it and answers on both sockets")


def answers(facts: Facts) -> Iterator[Row]:
    """It says how it is, and data moves."""
    found = facts.daemon
    if found is None:
        return
    about = "Daemon"
    if found.notice is not None:
        yield warning("daemon", about, f"it answers, but not to this shell: {found.notice}", "run this outside of Pi")
        return
    if found.status is None:
        if facts.holder is not None:
            yield problem("daemon", about, found.why_not or "it does not answer", "mirrord restart")
        else:
            yield neutral("daemon", about, "none runs")
        return
    status = found.status
    words = f"up {duration(status['uptime'])}, {_last(status.get('moved', {}), found.now)}"
    yield ok("daemon", about, words)


def port(facts: Facts) -> Iterator[Row]:
    """The daemon has the port where devices look for it, or will have it."""
    found = facts.port
    if found is None:
        return
    at = facts.status.get("port") if facts.status is not None else None
    if at is not None:
        yield _port_of_daemon(facts, found, at)
    elif found.listener is None:
        yield ok("port", f"Port {found.port}", "free")
    else:
        yield _port_of(facts, found, found.listener)


def _port_of_daemon(facts: Facts, found: PortFound, at: int) -> Row:
    about, chosen = f"Port {found.port}", facts.chosen_port
    if found.port in (0, at):
        if found.origin == "service" and chosen not in (None, at):
            words = f"the daemon's own, as the service was installed; the settings say {chosen}, which does not count for it"
            return neutral("port", about, words, installing(facts))
        return ok("port", about, "the daemon's own")
    words = f"the daemon is at port {at} instead"
    if found.origin == "default" and not found.port < at <= found.port + SPARE_PORTS:
        return neutral("port", about, f"{words}, as it was told when it was started")
    taken, free_it = (f", since {found.listener} has this one", "stop that program, then: ") if found.listener is not None else ("", "")
    fix = installing(facts) if found.origin == "service" else "mirrord restart"
    if found.origin == "default":
        fix = f"port = {found.port} in the settings (mirrord config path), then {fix}, which keeps a port that nobody chose"
    return warning("port", about, f"{words}{taken}; devices that were paired look for it here", f"{free_it}{fix}")


def _port_of(facts: Facts, found: PortFound, listener: Listener) -> Row:
    """No daemon says that it is there."""
    about, words = f"Port {found.port}", f"{listener} listens there"
    if facts.holder is not None and any(pid == facts.holder.pid for pid, _ in listener.processes):
        return ok("port", about, "the daemon's own")
    if facts.awaited and (listener.starts or found.origin == "service"):
        return neutral("port", about, "systemd has it, and starts the daemon for whoever connects")
    if facts.holder is not None and not listener.processes:
        return neutral("port", about, f"{words}; whether that is the daemon cannot be told")
    if found.origin == "default":
        return neutral("port", about, f"{words}; `mirrord pi` takes the next one that is free")
    if listener.ours:
        words = f"another daemon of mirrord has it, with other XDG folders: {listener}"
        return problem("port", about, words, "mirrord config show --origin")
    other = f"{INSTALL} --port PORT" if found.origin == "service" else "mirrord config path"
    return problem("port", about, words, f"stop that program, or choose another port: {other}")


def _last(moved: dict[str, dict[str, int | None]], now: int) -> str:
    times = [at for flow in moved.values() if (at := flow["at"]) is not None]
    return f"something moved {duration((now - max(times)) / 1000)} ago" if times else "nothing has moved yet"
