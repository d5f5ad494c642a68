"""As transport.py, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

import httpx

from .call import Model, Request, answer_as
from .errors import AuthenticationError, TimeoutError
from .retry import Repeat, retry_delay_seconds
from .settings import HeldToken, Settings
from .transport import answer_of, connection_error

Answer = TypeVar("Answer")


class AsyncCall(Protocol):
    async def __call__(self, request: Request, model: type[Model]) -> Model: ...


class AsyncAccessTokens:
    """Holds the access token: requested once for all tasks that need it at the same time."""

    def __init__(self, settings: Settings, request: Callable[[], Awaitable[Mapping[str, Any]]]) -> None:
        self._settings = settings
        self._request = request
        self._current: HeldToken | None = None
        self._renewal: asyncio.Task[str] | None = None

    async def get(self) -> str:
        """A token that is valid for a while."""
        if self._current is not None and self._settings.now() < self._current.renew_at:
            return self._current.token
        if self._renewal is None:
            self._renewal = asyncio.create_task(self._renew())
        # A task that is canceled does not end the request of the others.
        return await asyncio.shield(self._renewal)

    def forget(self, token: str) -> None:
        """Forgets a token that the gateway refused; another task may have renewed it already."""
        if self._current is not None and self._current.token == token:
            self._current = None

    async def _renew(self) -> str:
        requested_at = self._settings.now()
        try:
            issued = await self._request()
            held = HeldToken.issued(issued["access_token"], issued["expires_in"], requested_at)
            self._current = held
            return held.token
        finally:
            self._renewal = None


class AsyncTransport:
    def __init__(
        self,
        settings: Settings,
        client: httpx.AsyncClient,
        wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._client = client
        self._wait = wait
        self._tokens = AsyncAccessTokens(settings, self._request_token)

    async def __call__(self, request: Request, model: type[Model]) -> Model:
        headers = request.headers()
        answer = await self._with_retries(request.repeat, lambda: self._authorized(request, headers))
        return answer_as(model, answer)

    async def _authorized(self, request: Request, headers: dict[str, str]) -> Any:
        if self._settings.api_key:
            return await self._attempt(
                request, {**headers, "Authorization": f"Bearer {self._settings.api_key}"}
            )
        token = await self._tokens.get()
        try:
            return await self._attempt(request, {**headers, "Authorization": f"Bearer {token}"})
        except AuthenticationError:
            self._tokens.forget(token)
        renewed = await self._tokens.get()
        return await self._attempt(request, {**headers, "Authorization": f"Bearer {renewed}"})

    async def _request_token(self) -> Any:
        request = Request("POST", "/api/v1/auth/token", "always", body=self._settings.token_request())
        return await self._with_retries("always", lambda: self._attempt(request, request.headers()))

    async def _with_retries(self, repeat: Repeat, work: Callable[[], Awaitable[Answer]]) -> Answer:
        failed = 0
        while True:
            try:
                return await work()
            except Exception as error:
                failed += 1
                delay = (
                    None
                    if failed > self._settings.max_retries
                    else retry_delay_seconds(
                        error,
                        repeat=repeat,
                        attempt=failed,
                        longest_wait_seconds=self._settings.max_retry_after_seconds,
                        random=self._settings.random(),
                    )
                )
                if delay is None:
                    raise
            await self._wait(delay)

    async def _attempt(self, request: Request, headers: dict[str, str]) -> Any:
        seconds = request.timeout_seconds or self._settings.timeout_seconds
        sent = self._client.request(
            request.method,
            self._settings.url(request.path),
            params=request.params(),
            content=request.content(),
            headers=headers,
            timeout=seconds,
            # The API does not redirect, and credentials must not follow anyone else's redirect.
            follow_redirects=False,
        )
        try:
            # The limit of httpx is for each read: an answer that comes byte by byte would never end.
            response = await asyncio.wait_for(sent, seconds)
        except httpx.HTTPError as error:
            raise connection_error(error, seconds) from error
        except asyncio.TimeoutError as error:
            raise TimeoutError(f"No answer within {seconds} s.") from error
        return answer_of(response, response.content)
