"""`python bench/relay.py SOCKET`: a daemon that does nothing. Lines of a unix socket go to every WebSocket client as they come.

Prints the port on which it serves clients, on 127.0.0.1, as its first line.
"""

from __future__ import annotations

import asyncio
import sys

from websockets.asyncio.server import broadcast, serve  # noqa: TID251 - the least that anything could do
from websockets.typing import Subprotocol

SUBPROTOCOL = "mirrord.v1"
"""Clients of the daemon are clients of this too."""


async def main(path: str) -> None:
    async with serve(
        lambda connection: connection.wait_closed(), "127.0.0.1", 0, compression=None, subprotocols=[Subprotocol(SUBPROTOCOL)]
    ) as server:

        async def relay(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
            async for line in reader:
                broadcast(server.connections, line.decode().rstrip("\n"))

        async with await asyncio.start_unix_server(relay, path) as lines:
            print(server.sockets[0].getsockname()[1], flush=True)
            await lines.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
