"""What is in a recording, for a person who decides whether to send it. Pure: it is told by looking at all of it, not by its header."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from mirrord.client.clean import one_line
from mirrord.recording.format import Recording
from mirrord.recording.redact import PLACEHOLDER, redact
from mirrord.wire import messages

_ENDS = {
    "stopped": "it was stopped",
    "time": "its time was over",
    "size": "it had reached the largest size",
    "session": "the session ended",
    "lost": "the connection to the daemon ended",
}


def explained(recording: Recording) -> Iterator[str]:
    """The lines to print."""
    header, told = recording.header, [each for each in recording.told if each.frame.message is not None]
    seconds = max((each.at for each in recording.told), default=0) / 1000
    pi = f", Pi {one_line(header.pi)}" if header.pi else ""
    end = _ENDS[recording.end.why] if recording.end is not None else "the file was cut"
    yield f"A recording of {seconds:.0f} s by mirrord {one_line(header.mirrord)}{pi}, which ended because {end}."
    yield ""
    yield "It holds, as devices see it:"
    for kind, count in sorted(Counter(_kind(each.frame.message) for each in told).items()):
        yield f"  {count:>6}  {kind}"
    yield ""
    yield "In it, word for word: what extensions show (titles and choices of prompts, notifications, statuses, widgets, their links) and"
    yield "which choice was taken, names of models and tools, ids of session and process, Pi's version, and when all of it happened."
    yield from _conversation(recording)
    yield "Never in it: what was typed as an answer, the text of an editor or one handed to it, what dialogs draw, the terminal's screen,"
    yield f"folders, branches, and names of devices and of this machine. Where they were it says {PLACEHOLDER!r}, however long they were."
    yield from _doubts(recording)


def _conversation(recording: Recording) -> Iterator[str]:
    if recording.header.conversation:
        yield "ALSO IN IT: the conversation's texts, with what tools were told and said (--with-conversation). Where an extension gives an"
        yield "answer on to the model, that answer is among them."
    else:
        count = sum(json.dumps(PLACEHOLDER) in each.frame.text for each in recording.told)
        yield f"Not in it: the conversation's texts, its title, what tools were told and said. {count} messages were shortened."


def _doubts(recording: Recording) -> Iterator[str]:
    """What this build would not have recorded so: somebody wrote it by hand, or another mirrord did."""
    foreign = sum(each.frame.message is None for each in recording.told)
    other = sum(
        each.frame.message is not None and redact(each.frame.message, recording.header.conversation) != each.frame.message
        for each in recording.told
    )
    if foreign:
        yield f"CAREFUL: {foreign} messages are of types that this mirrord does not know; look at them before you send the file."
    if other:
        yield f"CAREFUL: {other} messages hold what this mirrord would have left out; look at them before you send the file."
    if recording.dirty:
        yield f"CAREFUL: {recording.dirty} messages hold what no mirrord says: controls, unseen characters, or links that lead elsewhere."
    if recording.end is not None and recording.end.unknown:
        yield f"{recording.end.unknown} messages of types that were not known were not recorded."


def _kind(message: messages.ServerMessage | None) -> str:
    if isinstance(message, messages.ExtensionUINotification):
        return f"extension_ui_notification, {message.method}"
    return "" if message is None else str(message.__struct_config__.tag)
