"""A TCP proxy that cuts connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


class Proxy:
    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.holds_answers = False
        """While it does, what the server writes does not arrive."""

    @property
    def socket_url(self) -> str:
        assert self._server is not None
        return f"ws://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/ws"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _connected(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self._target_port)
        self._writers |= {to_client, to_server}
        self._spawn(from_client, to_server, lambda: False)
        self._spawn(from_server, to_client, lambda: self.holds_answers)

    def _spawn(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_held: Callable[[], bool]) -> None:
        async def pump() -> None:
            try:
                while data := await reader.read(65_536):
                    if not is_held():
                        writer.write(data)
                        await writer.drain()
            except OSError:
                pass
            writer.transport.abort()

        task = asyncio.ensure_future(pump())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


@asynccontextmanager
async def proxy_to(port: int) -> AsyncIterator[Proxy]:
    proxy = Proxy(port)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()
