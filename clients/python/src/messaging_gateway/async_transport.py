"""As transport.py and access_tokens.py, for asyncio."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

import httpx

from .access_tokens import LONGEST_RENEWAL_SECONDS, store_seconds
from .call import Model, Request, answer_as
from .errors import AuthenticationError
from .response import ResponseInfo, remember_response
from .retry import Limits, Repeat, TimeLimit
from .settings import HeldToken, Settings
from .transport import FAILURES, Prepared, answer_of


class AsyncCall(Protocol):
    async def __call__(self, request: Request, model: type[Model]) -> Model: ...


class AsyncAccessTokens:
    """Holds the access token: requested once for all tasks of an event loop that need it at the same time."""

    def __init__(
        self, settings: Settings, request: Callable[[TimeLimit], Awaitable[Mapping[str, Any]]]
    ) -> None:
        self._settings = settings
        self._request = request
        self._current: HeldToken | None = None
        # The store may still have it.
        self._refused: str | None = None
        self._renewals: dict[asyncio.AbstractEventLoop, tuple[asyncio.Task[str], TimeLimit]] = {}
        # An event loop forgets a task that nobody else holds.
        self._writes: set[asyncio.Task[None]] = set()

    async def get(self, limit: TimeLimit) -> str:
        """A token that is valid for a while."""
        loop = asyncio.get_running_loop()
        while True:
            if self._current is not None and self._settings.now() < self._current.renew_at:
                return self._current.token
            task, its_limit = self._renewals.get(loop) or self._begin_renewal(loop, store_seconds(limit))
            # A task that is canceled does not end the request of the others.
            await asyncio.wait({task}, timeout=min(limit.left(), its_limit.left()))
            if task.done() and not task.cancelled():
                return task.result()
            if limit.left() == 0:
                raise limit.error()
            self._drop(loop, task)

    def forget(self, token: str) -> None:
        """Forgets a token that the gateway refused; another task may have renewed it already."""
        self._refused = token
        if self._current is not None and self._current.token == token:
            self._current = None

    def _begin_renewal(
        self, loop: asyncio.AbstractEventLoop, longest_seconds: float
    ) -> tuple[asyncio.Task[str], TimeLimit]:
        limit = TimeLimit(LONGEST_RENEWAL_SECONDS)
        task = loop.create_task(self._renew(limit, longest_seconds))

        def ended(ended_task: asyncio.Task[str]) -> None:
            self._drop(loop, ended_task)
            # Every task that waits for it may have left.
            if not ended_task.cancelled():
                ended_task.exception()

        task.add_done_callback(ended)
        self._renewals[loop] = (task, limit)
        return task, limit

    def _drop(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[str]) -> None:
        if loop in self._renewals and self._renewals[loop][0] is task:
            del self._renewals[loop]

    async def _renew(self, limit: TimeLimit, longest_seconds: float) -> str:
        held = await self._stored(longest_seconds) or await self._issued(limit)
        self._current = held
        return held.token

    async def _issued(self, limit: TimeLimit) -> HeldToken:
        settings = self._settings
        requested_at = settings.now()
        held = HeldToken.issued(await self._request(limit), requested_at)
        if settings.token_store is not None:
            seconds = max(1, int(held.renew_at - requested_at))
            text = held.moved(settings.wall_clock() - settings.now()).text()
            # No call waits for the store: the token is valid without it.
            write = asyncio.create_task(self._keep(text, seconds))
            self._writes.add(write)
            write.add_done_callback(self._writes.discard)
        return held

    async def _keep(self, text: str, seconds: int) -> None:
        settings = self._settings
        try:
            await settings.token_store.set(settings.store_key, text, seconds)
        except Exception:  # noqa: BLE001, S110
            pass

    async def _stored(self, longest_seconds: float) -> HeldToken | None:
        """What the store has, if it can be used. A store that is out of order or slow does not stop the sending."""
        settings = self._settings
        if settings.token_store is None:
            return None
        try:
            read = asyncio.ensure_future(settings.token_store.get(settings.store_key))
            read.add_done_callback(lambda done: done.cancelled() or done.exception())
            await asyncio.wait({read}, timeout=longest_seconds)
            if not read.done():
                # Not waited for: it may ignore that.
                read.cancel()
                return None
            held = HeldToken.read(read.result(), self._refused, settings.wall_clock())
        except Exception:  # noqa: BLE001
            return None
        return None if held is None else held.moved(settings.now() - settings.wall_clock())


class AsyncTransport:
    def __init__(
        self,
        settings: Settings,
        client: httpx.AsyncClient | None = None,
        wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._given_client = client
        # Connections belong to the event loop in which they were opened.
        self._own_clients: dict[asyncio.AbstractEventLoop, httpx.AsyncClient] = {}
        self._lock = threading.Lock()
        self._wait = wait
        self._tokens = AsyncAccessTokens(settings, self._request_token)

    async def __call__(self, request: Request, model: type[Model]) -> Model:
        body, info = await self.send(request)
        answer = answer_as(model, body)
        remember_response(answer, info)
        return answer

    async def send(self, request: Request) -> tuple[dict[str, Any], ResponseInfo]:
        limits = Limits(self._settings, request.options)
        prepared = Prepared(request, self._settings)
        while True:
            # Until the request itself is sent, nothing can happen twice.
            phase: list[Repeat] = ["always"]
            try:
                return await self._attempt(prepared, limits.attempt, limits.begin_attempt(), phase)
            except Exception as error:
                delay = limits.delay_after(error, phase[-1])
                if delay is None:
                    raise
            await self._wait(delay)

    async def close(self) -> None:
        """Closes the connections of this event loop, unless they are those of a client that was given."""
        with self._lock:
            own = self._own_clients.pop(asyncio.get_running_loop(), None)
        if own is not None:
            await own.aclose()

    async def _attempt(
        self, prepared: Prepared, attempt: int, limit: TimeLimit, phase: list[Repeat]
    ) -> tuple[dict[str, Any], ResponseInfo]:
        async def send(credential: str) -> tuple[dict[str, Any], ResponseInfo]:
            phase.append(prepared.repeat)
            return await self._exchange(prepared, f"Bearer {credential}", attempt, limit)

        if self._settings.api_key:
            return await send(self._settings.api_key)
        token = await self._tokens.get(limit)
        try:
            return await send(token)
        except AuthenticationError:
            self._tokens.forget(token)
        phase.append("always")
        return await send(await self._tokens.get(limit))

    async def _request_token(self, limit: TimeLimit) -> dict[str, Any]:
        request = Request("POST", "/api/v1/auth/token", "always", body=self._settings.token_request())
        body, _ = await self._exchange(Prepared(request, self._settings), None, 1, limit)
        return body

    async def _exchange(
        self, prepared: Prepared, authorization: str | None, attempt: int, limit: TimeLimit
    ) -> tuple[dict[str, Any], ResponseInfo]:
        report = prepared.report(attempt)
        seconds = max(0.001, limit.left())
        sent = self._client().request(**prepared.arguments(authorization, seconds))
        try:
            # The limit of httpx is for each read: an answer that comes byte by byte would never end.
            response = await asyncio.wait_for(sent, seconds)
        except asyncio.TimeoutError as error:
            raise report.failed(limit.error(), limit) from error
        except FAILURES as error:
            raise report.failed(error, limit) from error
        report.answered(response)
        return answer_of(response, response.content)

    def _client(self) -> httpx.AsyncClient:
        if self._given_client is not None:
            return self._given_client
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._own_clients:
                for ended in [one for one in self._own_clients if one.is_closed()]:
                    del self._own_clients[ended]
                self._own_clients[loop] = httpx.AsyncClient()
            return self._own_clients[loop]
