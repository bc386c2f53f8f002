"""Promise: what moved last is data, in each direction; how somebody comes and asks how we are is none."""

from __future__ import annotations

from mirrord.core import commands, events
from mirrord.core.model import ClientId, LinkId, Moment, PromptId, Reply, ResponseId
from mirrord.daemon.movement import Movement
from mirrord.testing import FakeClock
from mirrord.wire import messages as wire

ME = ClientId(1)
LINK = LinkId(1)
HELLO = wire.Hello(client=wire.ClientInfo(name="a", kind="b"), protocol=wire.ProtocolRange(1, 1))


def test_each_direction_is_counted_with_the_time_of_the_last() -> None:
    clock = FakeClock()
    movement = Movement(clock)
    at = Moment(5, 1.0)
    movement.happened(events.ResyncBegan(at=at, link=LINK))
    movement.happened(events.ClientSaid(at=at, client=ME, message=wire.Subscribe(session_id="s")))
    movement.happened(events.TimeIs(at=at))
    movement.carried_out(commands.Send(ME, wire.Gap(session_id="s", since="x")))
    movement.carried_out(commands.Forward(LINK, PromptId("p"), ResponseId("r"), Reply(index=0), "me", "cli"))
    now = clock.wall()
    assert movement.as_object() == {
        "fromTerminals": {"count": 1, "at": 5},
        "toTerminals": {"count": 1, "at": now},
        "fromClients": {"count": 1, "at": 5},
        "toClients": {"count": 1, "at": now},
    }


def test_asking_how_it_is_moves_nothing() -> None:
    movement = Movement(FakeClock())
    at = Moment(5, 1.0)
    for message in (HELLO, wire.Command(request_id="1", name="status")):
        movement.happened(events.ClientSaid(at=at, client=ME, message=message))
    movement.carried_out(commands.Send(ME, wire.CommandResult(request_id="1", ok=True)))
    assert {flow["count"] for flow in movement.as_object().values()} == {0}
    movement.happened(events.ClientSaid(at=at, client=ME, message=wire.Command(request_id="2", name="stop")))
    assert movement.as_object()["fromClients"]["count"] == 1
