"""What conversations want of extensions, as messages on their links; and where each Pi works, for who looks at its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from bridge import chat as said
from bridge import messages
from bridge.base import By
from bridge.link import State
from bridge.listener import LinkConnection
from mirrord import logs
from mirrord.clock import Clock, moment
from mirrord.core import events
from mirrord.core.chat.commands import AskChatAgain, AskHistory, ForwardAction, ForwardTurn
from mirrord.core.chat.events import TurnRuled
from mirrord.core.model import LinkId, TerminalId
from mirrord.wire.units import in_frames
from mirrord.workspace import Place

TOO_MUCH: Final = "This is too much for what waits for Pi already; try again."


def outgoing(command: ForwardTurn) -> Iterator[said.TurnPart | said.Turn]:
    """A turn as messages: a text that is too long for one frame goes ahead in pieces."""
    text, parts = in_frames(command.text)
    for part, piece in enumerate(parts):
        yield said.TurnPart(seq=0, client_turn_id=command.turn, part=part, parts=len(parts), text=piece)
    yield said.Turn(
        seq=0,
        client_turn_id=command.turn,
        kind=command.kind,
        by=By(command.name, command.client_kind),
        text=text,
        parts=len(parts) or None,
        literal=command.literal,
        excluded=command.excluded,
    )


@dataclass(slots=True)
class ChatLinks:
    """`link` gives an open link by its number."""

    link: Callable[[LinkId], LinkConnection | None]
    clock: Clock
    happen: Callable[[events.Event], None]
    _places: dict[TerminalId, Place] = field(default_factory=dict)

    # ---- from extensions ---------------------------------------------------------------------------------------------

    def heard(self, terminal: TerminalId, message: messages.FromExtension) -> None:
        """Note where a Pi works, as it says: a path that is shown is another one."""
        place = self._places.get(terminal, Place("", False))
        match message:
            case messages.Hello(conversation=conversation) | messages.ConversationChanged(conversation=conversation):
                # Another folder is not trusted until Pi says so.
                self._places[terminal] = Place(conversation.cwd, place.trusted and place.folder == conversation.cwd)
            case said.ChatState(trusted=trusted):
                self._places[terminal] = Place(place.folder, trusted is True)

    def place(self, terminal: TerminalId) -> Place | None:
        """Where a Pi works, and whether it says that its person trusts the folder."""
        return self._places.get(terminal)

    def forget(self, terminal: TerminalId) -> None:
        """The Pi is gone."""
        self._places.pop(terminal, None)

    # ---- from the core: when a link is just closing, the core hears of that --------------------------------------------

    def forward_turn(self, command: ForwardTurn) -> None:
        """Give a turn to the terminal; one that waits for its ruling goes out again on the next link."""
        link = self.link(command.link)
        if link is None or link.link.state is not State.READY:
            return
        if not all(link.send(message) for message in outgoing(command)):
            logs.warn("link: a turn fits in no frame, or behind no others", id=link.id)
            ruling = TurnRuled(at=moment(self.clock), link=command.link, turn=command.turn, stage="rejected", reason=TOO_MUCH)
            self.happen(ruling)

    def forward_action(self, command: ForwardAction) -> None:
        """Ask the terminal to do something."""
        by = By(command.name, command.client_kind)
        self._send(command.link, said.Action(seq=0, request_id=command.request, name=command.action, by=by, args=command.args))

    def ask_history(self, command: AskHistory) -> None:
        """Ask for older rows."""
        self._send(command.link, said.ChatHistory(seq=0, request_id=command.request, before=command.before, limit=command.limit))

    def ask_again(self, command: AskChatAgain) -> None:
        """Ask for the whole conversation."""
        self._send(command.link, said.ChatResync(seq=0))

    def _send(self, number: LinkId, message: said.Action | said.ChatHistory | said.ChatResync) -> None:
        link = self.link(number)
        if link is not None:
            link.send(message)
