"""One message until Pi has taken it, or until Pi is done with it."""

from __future__ import annotations

from typing import Final

import anyio

from mirrord.attach.rows import parts_text
from mirrord.client import Decided, Following, Frame, NotConfirmed, ProtocolMismatch
from mirrord.client.chat import Taken, read_message
from mirrord.client.clean import one_line, several_lines
from mirrord.client.talking import Talking
from mirrord.client.turns import Turn, is_ruled
from mirrord.errors import MirrordError
from mirrord.wire import chat as wire
from mirrord.wire import messages

CALLS_TOOLS: Final = "toolUse"
"""Pi's word for how an answer ended that goes on after its tools."""

QUIT: Final = "this Pi quit before it was done"

RECEIPT_SECONDS: Final = 30.0
"""How long it is tried to bring it to Pi's terminal: a daemon that was restarted meets its terminals within 5 s.

What is there has Pi's word as soon as Pi has one: it may compact first, or an extension ask somebody.
"""


class NotTakenError(MirrordError):
    """Pi did not take the message, or did not do what it says."""


class NotKnownError(MirrordError):
    """Nobody can say whether Pi took it. `reason` is a sentence of the receipt."""

    exit_code = 3

    def __init__(self, reason: str | None = None) -> None:
        why = f" ({one_line(reason).rstrip('.')})" if reason else ""
        super().__init__(f"it is not known whether Pi took this{why}; `mirrord attach` shows the conversation")


class Sender:
    """Sends one turn. A `mirrord.client.following.Watcher`."""

    def __init__(self, turn: Turn, wait: bool) -> None:
        """`wait`: until Pi is done with it."""
        self._turn = turn
        self._wait = wait
        self._talking = Talking(turn.action.session_id, self._unconfirmed)
        self._talking.wanted = wait
        self._following: Following
        self._receipt: wire.Receipt | None = None
        self._arrived = anyio.Event()
        """Pi's extension has it."""
        self._ended_before: wire.ChatTurnEnd | None = None
        """How the turn before this one ended."""

    async def run(self, following: Following) -> int:
        """0. Raises NotTakenError with Pi's reason, or NotKnownError."""
        self._following = following
        async with anyio.create_task_group() as tasks:

            async def follow() -> None:
                await following.run()
                tasks.cancel_scope.cancel()

            async def submit() -> None:
                with anyio.move_on_after(RECEIPT_SECONDS):
                    await self._talking.ready()
                    await self._talking.give(self._turn)
                    await self._arrived.wait()
                if not self._arrived.is_set():
                    raise NotKnownError

            tasks.start_soon(self._talking.keep_time)
            tasks.start_soon(follow)
            tasks.start_soon(submit)
        return 0

    # ---- what the following tells ------------------------------------------------------------------------------------

    async def welcomed(self, frame: Frame, welcome: messages.Welcome, again: bool) -> None:
        """A connection stands."""
        await self._talking.welcomed(self._following, welcome, again)
        if not self._talking.supported:
            raise ProtocolMismatch("it takes no messages for Pi")

    async def received(self, frame: Frame) -> bool:
        """True once there is nothing more to wait for."""
        message = frame.message
        if isinstance(message, messages.SessionChanged) and self._is_end(message.session) and self._arrived.is_set():
            raise self._quit()
        match await self._talking.received(frame):
            case Turn() if isinstance(message, wire.Receipt):
                return self._ruled(message)
            case Taken():
                return self._is_done()
            case _:
                return False

    async def decided(self, frame: Frame, decided: Decided) -> None:
        """No prompt is answered here."""

    async def unconfirmed(self, action: NotConfirmed) -> None:
        """No prompt is answered here."""

    async def lost(self, why: MirrordError) -> None:
        """The connection ended."""
        self._talking.lost()

    async def gone(self) -> None:
        """The session ended while no daemon could tell."""
        raise self._quit()

    # ---- what became of it -------------------------------------------------------------------------------------------

    def _ruled(self, receipt: wire.Receipt) -> bool:
        if receipt.stage == "rejected":
            raise NotTakenError(one_line(receipt.reason).rstrip(".") if receipt.reason else "Pi did not take it")
        if receipt.stage == "unknown":
            if self._arrived.is_set():
                # Pi's extension had it, so nobody will know better.
                raise NotKnownError(receipt.reason)
            # The next link to Pi, or the next daemon, may tell.
            return False
        self._arrived.set()
        agent = self._talking.conversation.fields.agent
        self._ended_before = agent.last_turn if isinstance(agent, wire.ChatAgent) else None
        self._receipt = receipt
        if not self._wait:
            if not is_ruled(self._turn.action.kind, receipt.stage):
                return False
            print(receipt.stage, flush=True)
            return True
        return self._is_done()

    def _is_done(self) -> bool:
        """Pi rests, and has answered; its answer is printed."""
        receipt, view, fields = self._receipt, self._talking.conversation.view, self._talking.conversation.fields
        agent = fields.agent if isinstance(fields.agent, wire.ChatAgent) else wire.ChatAgent()
        works = fields.streaming is not False or agent.retrying is not None or agent.compacting or agent.bash
        if receipt is None or receipt.stage != "consumed" or not view.complete or works:
            return False
        if receipt.row_id is None:
            return True
        found = [read_message(each) for each in view.messages]
        # The receipt may come before its row has that id; and the row may leave the window before Pi is done.
        mine = [at for at, each in enumerate(found) if each.id == receipt.row_id or each.client_turn_id == self._turn.id]
        has_ended = agent.last_turn != self._ended_before
        if not mine and not has_ended:
            return False
        # A shell command is its own answer. After an answer that calls tools comes another one.
        answers = [each for each in found[mine[0] if mine else 0 :] if each.kind in ("assistant", "bash")]
        if answers and answers[-1].state != "streaming" and (has_ended or answers[-1].stop_reason != CALLS_TOOLS):
            _print(answers[-1])
            return True
        return has_ended

    def _quit(self) -> MirrordError:
        """What is to be raised when this Pi is gone. What it had not taken may be in its session all the same."""
        is_taken = self._receipt is not None and self._receipt.stage == "consumed"
        return NotTakenError(QUIT) if is_taken else NotKnownError(QUIT)

    def _is_end(self, session: messages.Session) -> bool:
        return session.session_id == self._turn.action.session_id and session.status.state == "ended"

    async def _unconfirmed(self, turns: list[Turn]) -> None:
        """It goes out again; what comes of it is told at the end."""


def _print(answer: wire.ChatMessage) -> None:
    """Raises NotTakenError when it ended in an error."""
    said = parts_text(answer.parts)
    if said.strip():
        print("\n".join(clean for line in said.rstrip().split("\n") for clean in several_lines(line)), flush=True)
    if answer.state == "error" and answer.kind == "assistant":
        raise NotTakenError(one_line(answer.error).rstrip(".") if answer.error else "the turn failed")
    if answer.state == "aborted":
        raise NotTakenError("it was stopped")
