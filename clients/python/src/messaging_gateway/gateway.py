"""The gateway's API, a method for each operation: `gateway.sms.send(to=..., message=...)`."""

from __future__ import annotations

from types import TracebackType

import httpx
from typing_extensions import Self

from .async_transport import AsyncTransport
from .generated.async_resources import AsyncResources
from .generated.resources import Resources
from .settings import Settings
from .transport import Transport


class MessagingGateway(Resources):
    """Make one for the whole program: it holds the access token and the connections. Threads can share it.

    base_url: such as https://messages.example.com
    client_id, client_secret: the client requests and renews access tokens
    api_key: instead of the two, a legacy API key (sk-…)
    timeout_seconds: for each attempt, from the connection to the end of the answer
    max_retries: how often a failed request is repeated; 0 switches retries off
    max_retry_after_seconds: a Retry-After beyond it is not waited for; the error is raised at once
    http_client: your own, for a proxy or for logging
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
        http_client: httpx.Client | None = None,
    ) -> None:
        settings = Settings(
            base_url, client_id, client_secret, api_key, timeout_seconds, max_retries, max_retry_after_seconds
        )
        self._http_client = http_client or httpx.Client()
        super().__init__(Transport(settings, self._http_client))

    def close(self) -> None:
        self._http_client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncMessagingGateway(AsyncResources):
    """As MessagingGateway, for asyncio: `await gateway.sms.send(to=..., message=...)`."""

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
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        settings = Settings(
            base_url, client_id, client_secret, api_key, timeout_seconds, max_retries, max_retry_after_seconds
        )
        self._http_client = http_client or httpx.AsyncClient()
        super().__init__(AsyncTransport(settings, self._http_client))

    async def close(self) -> None:
        await self._http_client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
