"""What waits to be pushed, and when it is tried again. Nothing here keeps the daemon waiting, and nothing waits for ever.

One message at a time goes to a device. While it waits, a newer one of the same session takes its place; at the push service the topic
does the same.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, Literal

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from mirrord import crypto, logs
from mirrord.clock import Clock
from mirrord.core.commands import Push
from mirrord.errors import StoreNotWritable
from mirrord.push import vapid
from mirrord.push.endpoints import BadEndpoint, endpoint
from mirrord.push.https import Answer, NotPublic, Transport, Unreachable
from mirrord.push.sealing import payload, sealed
from mirrord.store.notify import NotifyTable, Subscription
from mirrord.wire.attention import Attention, AttentionKind

TTL_SECONDS: Final = 24 * 3600
"""How long a push service keeps a message for a device that is off. What is older than a day calls nobody."""

WAITING: Final = 64
"""Sessions of which something waits for one device; of more the oldest is dropped."""

FIRST_RETRY_SECONDS: Final = 5.0
LONGEST_RETRY_SECONDS: Final = 300.0
"""Between two tries: doubled from the first to the longest, or what the service asks for within these bounds."""

TRIES: Final = 8
"""Of what waits for a device, one after another without success: ten minutes; then it is dropped, and the next message begins anew."""

_TOPIC_BYTES: Final = 24
"""32 characters of base64url, the most that RFC 8030 allows."""

_GONE: Final = (404, 410)
_TRY_AGAIN: Final = (408, 425, 429)
_URGENCY: Final[dict[AttentionKind, str]] = {"waiting": "high", "failed": "high", "yourTurn": "normal", "over": "normal"}
"""`high` wakes a phone that saves its battery: for what stands still without the person."""

Outcome = Literal["sent", "gone", "renewed", "refused", "again"]
"""`renewed`: it was gone, but the device has another subscription by now. `again`: the service cannot now."""


@dataclass(slots=True)
class _Queue:
    waiting: dict[str, Attention] = field(default_factory=dict)
    """By session, the oldest first."""
    failures: int = 0


@dataclass(slots=True)
class Pusher:
    """Carries out Push. `changed` is told the id of a device whose subscription is no more."""

    table: NotifyTable
    clock: Clock
    transport: Transport
    tasks: TaskGroup
    changed: Callable[[str], None]
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    contact: str | None = None
    """Where whoever runs this daemon is reached; None: on our page."""
    _queues: dict[str, _Queue] = field(default_factory=dict)

    def push(self, command: Push) -> None:
        """Have a message sent, after what waits for the device already."""
        queue = self._queues.get(command.device)
        if queue is None:
            queue = self._queues[command.device] = _Queue()
            self.tasks.start_soon(self._serve, command.device, queue)
        queue.waiting.pop(command.message.session_id, None)
        queue.waiting[command.message.session_id] = command.message
        if len(queue.waiting) > WAITING:
            del queue.waiting[next(iter(queue.waiting))]

    async def _serve(self, device: str, queue: _Queue) -> None:
        """Until nothing waits."""
        while queue.waiting:
            subscription = self.table.subscription(device)
            if subscription is None:
                queue.waiting.clear()
                break
            session, message = next(iter(queue.waiting.items()))
            outcome, after = await self._send(device, subscription, message)
            if outcome == "renewed":
                continue
            if outcome == "again":
                queue.failures += 1
                if queue.failures < TRIES:
                    await self.sleep(_pause(queue.failures, after))
                    continue
                logs.warn("push: given up for now", device=device, tries=TRIES, waiting=len(queue.waiting))
                queue.waiting.clear()
                break
            queue.failures = 0
            # A newer one may have taken its place meanwhile.
            if queue.waiting.get(session) is message:
                del queue.waiting[session]
        del self._queues[device]

    async def _send(self, device: str, subscription: Subscription, message: Attention) -> tuple[Outcome, float | None]:
        """What became of it, and after how many seconds the service wants it again."""
        try:
            target = endpoint(subscription.endpoint)
            headers, body = await anyio.to_thread.run_sync(self._request, subscription, target.origin, message)
            answer = await self.transport.post(target, headers, body)
        except (BadEndpoint, NotPublic):
            logs.warn("push: not sent, the address is not public", device=device)
            return await self._forget(device, subscription), None
        except ValueError:
            logs.warn("push: not sent, the subscription on disk makes no sense", device=device)
            return await self._forget(device, subscription), None
        except ImportError:
            logs.warn("push: not sent, the package is gone", device=device)
            return "refused", None
        except Unreachable as error:
            logs.note("push: no answer", device=device, host=target.host, why=str(error))
            return "again", None
        return await self._judged(device, subscription, target.host, answer)

    async def _judged(self, device: str, subscription: Subscription, host: str, answer: Answer) -> tuple[Outcome, float | None]:
        if 200 <= answer.status < 300:
            return "sent", None
        if answer.status in _GONE:
            logs.note("push: the subscription is no more", device=device, host=host, status=answer.status)
            return await self._forget(device, subscription), None
        if answer.status in _TRY_AGAIN or answer.status >= 500:
            logs.note("push: not now", device=device, host=host, status=answer.status)
            return "again", answer.retry_after
        # A redirect is among them: it could lead anywhere.
        logs.warn("push: refused", device=device, host=host, status=answer.status)
        return "refused", None

    def _request(self, subscription: Subscription, origin: str, message: Attention) -> tuple[dict[str, str], bytes]:
        crypto.load()
        headers = {
            "Authorization": vapid.authorization(self.table.key, origin, self.clock.wall(), self.contact),
            "Content-Type": "application/octet-stream",
            "Content-Encoding": "aes128gcm",
            "TTL": str(TTL_SECONDS),
            "Urgency": _URGENCY[message.kind],
            "Topic": topic(self.table.key.secret, message.session_id),
        }
        return headers, sealed(subscription, payload(message))

    async def _forget(self, device: str, subscription: Subscription) -> Outcome:
        try:
            forgotten = await self.table.unsubscribe(device, only=subscription)
        except StoreNotWritable as error:
            logs.warn("push: a subscription could not be removed", device=device, why=str(error))
            forgotten = True
        if not forgotten:
            return "renewed"
        self.changed(device)
        return "gone"


def topic(secret: bytes, session: str) -> str:
    """What names a session to a push service: the same each time, and nobody who has no key finds the session by it."""
    digest = hashlib.blake2b(session.encode(), key=secret, digest_size=_TOPIC_BYTES).digest()
    return base64.urlsafe_b64encode(digest).decode()


def _pause(failures: int, after: float | None) -> float:
    wanted = FIRST_RETRY_SECONDS * 2.0 ** (failures - 1) if after is None else after
    return min(max(wanted, FIRST_RETRY_SECONDS), LONGEST_RETRY_SECONDS)
