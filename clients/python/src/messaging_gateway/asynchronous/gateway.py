"""The gateway's API, a method for each operation: `gateway.sms.send(to=..., message=...)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

import httpx
from typing_extensions import Self, Unpack

from ..call import Method, raw_request
from ..generated.async_resources import AsyncResources
from ..options import AsyncTokenStore, Options, RequestReport, ResponseReport, SendOptions
from ..response import RawAnswer, remember_response
from ..settings import Settings, check_kind
from .transport import AsyncTransport


class AsyncMessagingGateway(AsyncResources):
    """Make one for the whole program: it holds the access token and the connections.

    Threads can share a MessagingGateway. An AsyncMessagingGateway can be used in several event loops, one after the other
    or at once; a http_client that was given belongs to one loop.


    base_url: such as https://messages.example.com
    client_id, client_secret: the client requests and renews access tokens
    api_key: instead of the two, a legacy API key (sk-…)
    timeout_seconds: for each attempt, from the request for its token to the end of the answer
    max_retries: how often a failed attempt is repeated, its token request included; 0 switches retries off
    max_retry_after_seconds: a Retry-After beyond it is not waited for; the error is raised at once
    deadline_seconds: for a whole call, its token, every attempt and the waits between them
    headers: further headers of every request
    http_client: your own, for a proxy for example; close() leaves it open
    token_store: where processes with the same credentials share their access token
    on_request, on_response: called before and after each attempt, for a log; their errors are ignored, and they are
    plain functions for asyncio too
    """

    def __init__(
        self,
        *,
        base_url: str,
        client_id: str | None = None,
        client_secret: str | None = None,
        api_key: str | None = None,
        timeout_seconds: float = 30.0,
        max_retries: int = 3,
        max_retry_after_seconds: float = 60.0,
        deadline_seconds: float | None = None,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
        token_store: AsyncTokenStore | None = None,
        on_request: Callable[[RequestReport], object] | None = None,
        on_response: Callable[[ResponseReport], object] | None = None,
    ) -> None:
        settings = Settings(
            base_url,
            client_id,
            client_secret,
            api_key,
            timeout_seconds,
            max_retries,
            max_retry_after_seconds,
            deadline_seconds,
            headers,
            token_store,
            on_request,
            on_response,
        )
        check_kind(httpx.AsyncClient, http_client, token_store)
        self._transport = AsyncTransport(settings, http_client)
        super().__init__(self._transport)

    async def request(
        self,
        method: Method,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[SendOptions],
    ) -> RawAnswer:
        """Sends a request for which this version has no method: /api/v1/…, with the same token, limits and retries.

        A POST without an idempotency key is repeated only if the gateway refused it or was never reached.
        """
        answer, info = await self._transport.send(raw_request(method, path, query, body, Options(**options)))
        raw = RawAnswer(answer)
        remember_response(raw, info)
        return raw

    async def close(self) -> None:
        """Closes the connections (of this event loop), unless they are those of a client that was given."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
