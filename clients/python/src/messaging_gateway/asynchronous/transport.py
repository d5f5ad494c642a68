"""Sends a request until it has an answer: with a valid token, a time limit for each attempt, and safe retries.

A call has one budget of retries and one deadline, and its token request counts towards both.
"""

from __future__ import annotations

from typing import Any

import httpx

from ..call import Model, Request, answer_as
from ..concurrency import (
    AsyncPlace,
    ForkSafeLock,
    async_pause,
    async_place,
    async_place_has_ended,
    async_within,
)
from ..errors import AuthenticationError
from ..exchange import FAILURES, Prepared, answer_of
from ..response import ResponseInfo, remember_response
from ..retry import Limits, Repeat, TimeLimit
from ..settings import Settings
from .access_tokens import AsyncAccessTokens


class AsyncTransport:
    def __init__(
        self,
        settings: Settings,
        client: httpx.AsyncClient | None = None,
    ) -> None:
        self._settings = settings
        self._given_client = client
        self._own_clients: dict[AsyncPlace, httpx.AsyncClient] = {}
        self._lock = ForkSafeLock()
        self._wait = async_pause
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
        with self._lock:
            own = self._own_clients.pop(async_place(), None)
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
        arguments = prepared.arguments(authorization, max(0.001, limit.left()))
        try:
            response, body = await async_within(limit, self._read(arguments, limit))
        except FAILURES as error:
            raise report.failed(error, limit) from error
        report.answered(response)
        return answer_of(response, body)

    async def _read(self, arguments: dict[str, Any], limit: TimeLimit) -> tuple[httpx.Response, bytes]:
        body = bytearray()
        async with self._client().stream(**arguments) as response:
            # The limit of httpx is for each read: an answer that comes byte by byte would never end.
            async for chunk in response.aiter_bytes():
                body += chunk
                if limit.left() == 0:
                    raise limit.error()
        return response, bytes(body)

    def _client(self) -> httpx.AsyncClient:
        if self._given_client is not None:
            return self._given_client
        here = async_place()
        with self._lock:
            if here not in self._own_clients:
                for ended in [one for one in self._own_clients if async_place_has_ended(one)]:
                    del self._own_clients[ended]
                self._own_clients[here] = httpx.AsyncClient()
            return self._own_clients[here]
