"""Promise: kill the daemon at any moment: no prompt is lost, none is answered twice, and every client learns what became of its answers.

Each seed plays one scene: all dialogs are open, two clients and the terminal answer, and somewhere among that the daemon is killed and
another one is started.
"""

from __future__ import annotations

import random
import signal
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import partial
from typing import Final

import pytest

from mirrord.client import Answer, Decided, Following, Frame, Local, NotConfirmed, Pending, connect
from mirrord.client.connection import Connection
from mirrord.errors import MirrordError
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from tests.e2e.play import verdict_of
from tests.e2e.prompt_table import METHODS, Ends, answered
from tests.e2e.scenes import ANSWER, KEYS, OTHER
from tests.e2e.stage import Stage, is_reload, stage
from tests.harness.exerciser import slash
from tests.harness.pi import ALL, EXERCISER, GENERATIONS, PiKind

# The extension is back within 5 s, a client within a few; what takes longer is lost.
DECIDED: Final = 25.0
# Between two steps: an answer is through in a millisecond or two, so that the kill meets it on each part of its way.
MOST_PAUSE: Final = 0.004
REMOTE: Final[tuple[wire.Method, ...]] = tuple(method for method in METHODS if method != "custom")


class Client:
    """A client that follows the session whatever becomes of the daemon, as `mirrord attach` does. It answers when it is told to."""

    def __init__(self, here: Stage) -> None:
        self.prompts: dict[str, str] = {}
        """Title → id."""
        self.settled: dict[str, list[wire.ExtensionUISettled]] = {}
        self.decisions: dict[str, list[Decided]] = {}
        """By response id."""
        self._changed = threading.Condition()
        self._here = here
        self._following: Following | None = None

    def _dial(self, cursors: dict[str, str]) -> AbstractAsyncContextManager[Connection]:
        endpoint = Local(self._here.daemon.paths.control_socket)
        return connect(endpoint, name="client", kind="test", capabilities=SERVER_CAPABILITIES, resume=cursors)

    async def run(self) -> None:
        """Until it is cancelled."""
        async with self._dial({}) as first:
            self._following = Following(first, self._dial, self._here.session_id, self, pending=Pending(), alive=lambda: True)
            await self._following.run()

    def answer(self, prompt_id: str, **given: object) -> str:
        """Gives an answer, now or when a daemon is there; returns its id."""
        response_id = str(uuid.uuid4())
        response = wire.ExtensionUIResponse(id=prompt_id, response_id=response_id, **given)  # type: ignore[arg-type] # keywords of a table
        assert self._following is not None
        self._here.call(partial(self._following.answer, Answer(response_id, response)))
        return response_id

    def wait(self, holds: Callable[[], bool], what: str) -> None:
        with self._changed:
            assert self._changed.wait_for(holds, DECIDED), f"{what}; decided were {self.decisions}"

    # ---- what the session tells ----------------------------------------------------------------------------------------

    async def welcomed(self, frame: Frame, welcome: wire.Welcome, again: bool) -> None: ...

    async def received(self, frame: Frame) -> bool:
        with self._changed:
            match frame.message:
                case wire.ExtensionUIRequest(title=title, id=id_):
                    self.prompts[title] = id_
                case wire.Snapshot(prompts=prompts):
                    self.prompts.update({prompt.title: prompt.id for prompt in prompts})
                case wire.ExtensionUISettled(id=id_) as settled:
                    self.settled.setdefault(id_, []).append(settled)
            self._changed.notify_all()
        return False

    async def decided(self, frame: Frame, decided: Decided) -> None:
        with self._changed:
            self.decisions.setdefault(decided.result.response_id, []).append(decided)
            self._changed.notify_all()

    async def unconfirmed(self, action: NotConfirmed) -> None: ...

    async def lost(self, why: MirrordError) -> None: ...

    async def gone(self) -> None: ...


@contextmanager
def clients(here: Stage, count: int) -> Iterator[Sequence[Client]]:
    made = [Client(here) for _ in range(count)]
    running = [here.begin(client.run) for client in made]
    try:
        yield made
    finally:
        for task in running:
            task.cancel()


def play_scene(here: Stage, both: Sequence[Client], seed: int) -> None:
    dice = random.Random(seed)
    name = f"Seed {seed}"
    fresh(here)
    here.pi.line(slash("t-all", id=name))
    here.pi.wait_for(lambda text: f"{name} custom" in text and "/t-all" not in text)
    titles = {method: f"{name} {method}" for method in METHODS}
    for client in both:
        client.wait(lambda client=client: set(titles.values()) <= client.prompts.keys(), "not all was offered")  # type: ignore[misc]
    ids = {method: both[0].prompts[title] for method, title in titles.items()}

    given: dict[tuple[int, wire.Method], str] = {}
    pauses = threading.Event()

    def answers(number: int, method: wire.Method) -> None:
        given[number, method] = both[number].answer(ids[method], **(ANSWER[method], OTHER[method][0])[number])

    steps: list[Callable[[], None]] = [partial(answers, number, method) for number in range(2) for method in REMOTE]
    steps.append(lambda: here.pi.keys(*KEYS["custom"]))
    dice.shuffle(steps)
    steps.insert(dice.randrange(len(steps) + 1), lambda: here.daemon.end(signal.SIGKILL))
    for step in steps:
        step()
        pauses.wait(dice.uniform(0, MOST_PAUSE))
    here.daemon.start()

    for (number, method), response_id in given.items():
        both[number].wait(partial(both[number].decisions.__contains__, response_id), f"no verdict for the {method} of client {number}")
    values = {method: here.log.result(method, name).value for method in METHODS}
    assert len([record for record in here.log.records() if record.event == "result" and record.id == name]) == len(METHODS)
    assert values["custom"] == "done"
    for method in REMOTE:
        check_verdicts(both, method, values[method], [given[number, method] for number in range(2)])
    for client in both:
        # Told again, perhaps, by a daemon that cannot know that it was told before; but the same.
        assert all(len(set(map(verdict_of, told))) == 1 for told in client.settled.values())


def check_verdicts(both: Sequence[Client], method: wire.Method, value: object, responses: Sequence[str]) -> None:
    """One was accepted, its answer is what the extension got, and the other knows that."""
    decided = [client.decisions[response] for client, response in zip(both, responses, strict=True)]
    assert [len(each) for each in decided] == [1, 1], method
    first, second = decided[0][0], decided[1][0]
    assert first.certain
    assert second.certain
    assert [first.result.accepted, second.result.accepted].count(True) == 1, (method, first, second)
    cell = answered("remote")[method]
    assert isinstance(cell, Ends)
    assert value == (cell.value if first.result.accepted else OTHER[method][1]), method
    assert first.result.settled == second.result.settled
    lost = second.result if first.result.accepted else first.result
    assert lost.reason == "settled"


def fresh(here: Stage) -> None:
    """The extension is loaded anew, so that it does not wait for seconds because the last daemons lived for seconds."""
    reloads = sum(map(is_reload, here.log.records()))
    here.pi.settle(0.05)
    here.pi.line("/reload")
    here.log.wait(is_reload, count=reloads + 1)
    here.wait_session()
    here.pi.settle(0.1)


def play_seeds(kind: PiKind, seeds: range) -> None:
    with stage(kind, extensions=(EXERCISER, ALL)) as here, clients(here, 2) as both:
        for seed in seeds:
            play_scene(here, both, seed)


@pytest.mark.timeout(150)
@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_the_daemon_is_killed_while_everybody_answers(kind: PiKind, part: int) -> None:
    play_seeds(kind, range(5 * part, 5 * part + 5))


@pytest.mark.soak
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_the_daemon_is_killed_two_hundred_times(kind: PiKind) -> None:
    play_seeds(kind, range(100, 200))
