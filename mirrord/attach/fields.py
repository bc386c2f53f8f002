"""What a conversation says besides its messages, as lines of plain text: one for each thing that changed. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeVar

from msgspec import UNSET, UnsetType

from mirrord.attach.rows import milliseconds, shortened
from mirrord.attach.view import LOCAL_CREDENTIAL
from mirrord.client.clean import one_line
from mirrord.wire.chat import ChatAgent, ChatSnapshot, ChatWorkspace, QueuedFollowUp

_Value = TypeVar("_Value")

BOUNDARIES: Final = {
    "new": "Another conversation was begun at the terminal.",
    "resume": "Another conversation was opened at the terminal.",
    "fork": "The conversation was forked at the terminal.",
    "tree": "The conversation goes on from another place.",
}
"""Boundaries that a reader sees; after the others the conversation is the same."""

_QUEUE_WORDS: Final = {"steer": "steers", "follow_up": "follows", "compaction": "after the compaction"}


def boundary_lines(reason: str) -> Iterator[str]:
    """Why all messages are new."""
    if reason in BOUNDARIES:
        yield ""
        yield f"--- {BOUNDARIES[reason]}"


def field_lines(before: ChatSnapshot, now: ChatSnapshot) -> Iterator[str]:
    """What is another than before; at first what is worth knowing at all."""
    old, new = _known(before.agent) or ChatAgent(), _known(now.agent) or ChatAgent()
    first = before.agent is UNSET
    if now.read_only_reason != before.read_only_reason:
        reason = _known(now.read_only_reason)
        if reason is not None or not first:
            yield f"- nothing can be sent: {one_line(reason)}" if reason else "- it can be written to again"
    yield from _doing_lines(old, new)
    stopping = _known(now.stopping)
    if stopping is not None and _known(before.stopping) is None:
        yield f"- being stopped (by {one_line(stopping.by)})"
    queue, was = _known(now.queued_follow_ups) or (), _known(before.queued_follow_ups) or ()
    if queue != was:
        yield from queue_lines(queue)
    yield from _setting_lines(old, new)
    folder, was_in = _known(now.workspace), _known(before.workspace)
    if folder is not None and (was_in is None or (folder.folder, folder.branch) != (was_in.folder, was_in.branch)):
        yield f"- {_folder(folder)}"


def _doing_lines(old: ChatAgent, new: ChatAgent) -> Iterator[str]:
    if new.retrying is not None and new.retrying != old.retrying:
        retry = new.retrying
        when = f"attempt {retry.attempt} of {retry.max_attempts} in {milliseconds(retry.delay_ms)}"
        yield f"- the model failed, {when}: {one_line(retry.error)}"
    if new.compacting != old.compacting:
        yield "- compacting the conversation" if new.compacting else "- the compaction is over"
    if new.cannot_run and new.cannot_run != old.cannot_run:
        yield f"- Pi says: {one_line(new.cannot_run)}"


def queue_lines(queue: tuple[QueuedFollowUp, ...]) -> Iterator[str]:
    """All that waits in Pi, in order."""
    yield f"- {len(queue)} waiting in Pi:" if queue else "- nothing waits in Pi any more"
    for item in queue:
        sender = "" if item.sender is None else f", from {_device(item.sender)}"
        yield f"    {item.position + 1}. ({_QUEUE_WORDS[item.kind]}{sender}) {shortened(item.text)}"


def _device(name: str) -> str:
    return "this machine" if name == LOCAL_CREDENTIAL else one_line(name)


def _setting_lines(old: ChatAgent, new: ChatAgent) -> Iterator[str]:
    """Model, level and context. A context that fills is no news by itself."""
    if new.model is None or (new.model, new.thinking_level) == (old.model, old.thinking_level):
        return
    level = f" ({one_line(new.thinking_level)})" if new.thinking_level not in (None, "off") else ""
    context = ""
    if new.context is not None and new.context.percent is not None:
        context = f", {new.context.percent:.0f} % of {new.context.window:,} tokens"
    yield f"- {one_line(new.model.name)}{level}{context}"


def _folder(workspace: ChatWorkspace) -> str:
    branch = f" on {one_line(workspace.branch)}" if workspace.branch else ""
    lines = f" (+{workspace.additions} -{workspace.deletions})" if workspace.additions is not None else ""
    return f"{one_line(workspace.folder)}{branch}{lines}"


def _known(value: _Value | UnsetType | None) -> _Value | None:
    return None if isinstance(value, UnsetType) else value
